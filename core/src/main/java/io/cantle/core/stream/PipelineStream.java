package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanSettings;
import io.cantle.core.publish.IteratorPublisher;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.stream.Pipeline.LocalExecution;
import io.cantle.core.stream.Pipeline.LocalStage;
import io.cantle.core.stream.PipelineTask.Terminal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

/**
 * The common base of the streams of all element kinds: a pipeline, its settings, and its terminal
 * operations.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param <T> the type of an element, boxed
 * @param <J> the type of the stream in the JDK
 * @param <S> the type of the stream here
 */
abstract sealed class PipelineStream<T, J extends BaseStream<T, J>, S> implements ScanSettings<S>
    permits RecordedStream, RecordedIntStream, RecordedLongStream, RecordedDoubleStream {
  private static final int MAX_KEYS_BYTES = 4 << 20;

  /** Longer timeouts are shortened to this, whose nanoseconds can still be added to a time. */
  private static final Duration MAX_TIMEOUT = Duration.ofDays(36_500);

  private final Pipeline pipeline;
  private final LocalExecution openIterators = LocalExecution.withWeakReferences();
  private volatile boolean closed;

  PipelineStream(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** Makes a stream of the same type. */
  abstract S with(Pipeline other);

  /**
   * The pipeline recorded so far.
   *
   * @throws IllegalStateException if this object was closed
   */
  final Pipeline pipeline() {
    if (closed) {
      throw new IllegalStateException("the stream was closed");
    }
    return pipeline;
  }

  // ------------------------------------------------------------------ settings

  private S withOptions(ScanOptions options) {
    return with(pipeline().withOptions(options));
  }

  @Override
  public final S filterKeys(Set<?> keys) {
    List<byte[]> earlierKeys = pipeline().options().keys();
    Set<ByteBuffer> allowed = new HashSet<>();
    if (earlierKeys != null) {
      earlierKeys.forEach(key -> allowed.add(ByteBuffer.wrap(key)));
    }
    List<byte[]> chosenKeys = new ArrayList<>(keys.size());
    long bytes = 0;
    for (Object key : keys) {
      byte[] encoded = pipeline().origin().codec().encodeKey(key);
      bytes += encoded.length;
      if (bytes > MAX_KEYS_BYTES) {
        throw new IllegalArgumentException(
            ("filterKeys was given %s keys of more than %s bytes in all, the limit: use fewer keys,"
                    + " get each of them, or use filter")
                .formatted(keys.size(), MAX_KEYS_BYTES));
      }
      if (earlierKeys == null || allowed.contains(ByteBuffer.wrap(encoded))) {
        chosenKeys.add(encoded);
      }
    }
    return withOptions(pipeline().options().keys(chosenKeys));
  }

  @Override
  public final S filterKeySegments(Set<Integer> segments) {
    int count = pipeline().origin().cache().config().segments();
    for (int segment : segments) {
      if (segment < 0 || segment >= count) {
        throw new IllegalArgumentException(
            "segment " + segment + " is not among the segments 0 to " + (count - 1));
      }
    }
    return withOptions(
        pipeline
            .options()
            .segments(SegmentSet.of(segments.stream().mapToInt(Integer::intValue).toArray())));
  }

  @Override
  public final S distributedBatchSize(int elements) {
    if (elements < 1 || elements > ScanOptions.MAX_BATCH_ELEMENTS) {
      throw new IllegalArgumentException(
          "a batch has 1 to " + ScanOptions.MAX_BATCH_ELEMENTS + " elements, not " + elements);
    }
    return withOptions(pipeline().options().batch(elements));
  }

  @Override
  public final S sequentialDistribution() {
    return withOptions(pipeline().options().sequential(true));
  }

  @Override
  public final S parallelDistribution() {
    return withOptions(pipeline().options().sequential(false));
  }

  @Override
  public final S disableRehashAware() {
    return delivery(Delivery.AT_MOST_ONCE);
  }

  @Override
  public final S delivery(Delivery delivery) {
    return withOptions(pipeline().options().delivery(Objects.requireNonNull(delivery)));
  }

  @Override
  public final S segmentCompletionListener(SegmentListener listener) {
    return withOptions(pipeline().options().listener(Objects.requireNonNull(listener)));
  }

  @Override
  public final S timeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    Duration bounded = timeout.compareTo(MAX_TIMEOUT) > 0 ? MAX_TIMEOUT : timeout;
    return withOptions(pipeline().options().timeoutNanos(bounded.toNanos()));
  }

  // ------------------------------------------------------------------ as in every stream

  public final boolean isParallel() {
    return pipeline().options().parallel();
  }

  public final S sequential() {
    return withOptions(pipeline().options().parallel(false));
  }

  public final S parallel() {
    return withOptions(pipeline().options().parallel(true));
  }

  /** Returns the stream unchanged: a cache has no order that could be given up. */
  public final S unordered() {
    return with(pipeline());
  }

  public final S onClose(Runnable handler) {
    return with(pipeline().withCloseHandler(Objects.requireNonNull(handler)));
  }

  /**
   * Stops the iterators of this object and runs the close handlers once, by the rules of the JDK.
   */
  public final void close() {
    openIterators.close();
    if (!closed) {
      closed = true;
      Stream<Object> handlers = Stream.empty();
      for (Runnable handler : pipeline.closeHandlers()) {
        handlers = handlers.onClose(handler);
      }
      handlers.close();
    }
  }

  // ------------------------------------------------------------------ stages of all kinds

  /** Removes duplicates. */
  public final S distinct() {
    return with(pipeline().withLocalStage(elementKind(), new LocalStage.Distinct()));
  }

  /** Sorts in natural order. */
  public final S sorted() {
    return with(pipeline().sorted());
  }

  /** Limits the stream to at most this many elements. */
  public final S limit(long maxSize) {
    return with(limitedPipeline(maxSize));
  }

  /** Skips this many elements. */
  public final S skip(long n) {
    return with(pipeline().withLocalStage(elementKind(), LocalStage.skip(n)));
  }

  /** Adds a stage that runs on this node and keeps the kind of the elements. */
  @SuppressWarnings("unchecked")
  final S withLocalStage(UnaryOperator<J> stage) {
    return with(pipeline().withLocalStage(elementKind(), stream -> stage.apply((J) stream)));
  }

  private Pipeline limitedPipeline(long maxSize) {
    return pipeline().withLocalStage(elementKind(), LocalStage.limit(maxSize));
  }

  private ElementKind elementKind() {
    return pipeline().elementKind();
  }

  // ------------------------------------------------------------------ terminal operations of all
  // kinds

  /** Counts the elements. */
  public final long count() {
    return isRecorded() ? onOwners().count() : runLocally(stream -> elementKind().count(stream));
  }

  /** Returns a publisher of the elements. */
  @SuppressWarnings("unchecked")
  public final CachePublisher<T> publisher() {
    if (!pipeline().isRecorded()) {
      return new IteratorPublisher<>(
          pipeline().origin().executor(), () -> (CloseableIterator<T>) pullElements());
    }
    return (CachePublisher<T>) pipeline().publishElements();
  }

  // ------------------------------------------------------------------ where it runs

  /** Whether owners run all stages, and so may run the terminal operation. */
  final boolean isRecorded() {
    return pipeline().isRecorded();
  }

  /** The cache as opened on this node. */
  @SuppressWarnings("unchecked")
  final <K, V> Cache<K, V> cache() {
    return (Cache<K, V>) pipeline().origin().cache();
  }

  /** The terminal operations that owners run. */
  final TerminalOperations onOwners() {
    return new TerminalOperations(pipeline());
  }

  /** Runs a terminal operation on this node and then stops pulling, whatever comes of it. */
  final <R> R runLocally(Function<J, R> terminal) {
    return runLocally(pipeline(), terminal, false);
  }

  /** As {@link #runLocally}, for an operation that needs every element that reaches it. */
  final <R> R runToEndLocally(Function<J, R> terminal) {
    return runLocally(pipeline(), terminal, true);
  }

  /** As {@link #runLocally}, for an operation that needs only one element. */
  final <R> R runOnFirstLocally(Function<J, R> terminal) {
    return runLocally(limitedPipeline(1), terminal, false);
  }

  @SuppressWarnings("unchecked")
  private static <J extends BaseStream<?, J>, R> R runLocally(
      Pipeline toRun, Function<J, R> terminal, boolean readsAll) {
    try (LocalExecution execution = new LocalExecution(readsAll)) {
      return terminal.apply((J) execution.open(toRun));
    }
  }

  /** Runs a terminal operation without a result on this node. */
  @SuppressWarnings("unchecked")
  final void consumeLocally(Consumer<J> terminal) {
    try (LocalExecution execution = new LocalExecution(false)) {
      terminal.accept((J) execution.open(pipeline()));
    }
  }

  /** Opens the stream as one of the JDK, which closes its resources when it is read to its end. */
  @SuppressWarnings("unchecked")
  final J openLocally() {
    return (J) openIterators.open(pipeline());
  }

  /** Iterates over the elements. */
  final CloseableIterator<Object> pullElements() {
    if (pipeline().isRecorded()) {
      return openIterators.closeLater(
          pipeline().pullElements(pipeline().options(), Terminal.ELEMENTS, false));
    }
    LocalExecution execution = new LocalExecution(false);
    Iterator<Object> elements =
        pipeline().elementKind().boxed(execution.open(pipeline())).iterator();
    return openIterators.closeLater(
        new CloseableIterator<>() {
          private boolean stopped;

          @Override
          public boolean hasNext() {
            boolean hasMore = false;
            try {
              hasMore = !stopped && elements.hasNext();
            } finally {
              // At its end, or after a failure, it needs its resources no more.
              if (!hasMore) {
                close();
              }
            }
            return hasMore;
          }

          @Override
          public Object next() {
            if (!hasNext()) {
              throw new NoSuchElementException("every element was delivered, or it was closed");
            }
            return elements.next();
          }

          @Override
          public void close() {
            if (!stopped) {
              stopped = true;
              execution.close();
            }
          }
        });
  }
}
