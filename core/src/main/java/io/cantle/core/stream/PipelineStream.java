package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanSettings;
import io.cantle.core.publish.IteratorPublisher;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.stream.Pipeline.LocalExecution;
import io.cantle.core.stream.Pipeline.LocalStage;
import io.cantle.core.stream.PipelineTask.RecordedStages;
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
 * What the streams of all shapes have in common: a pipeline, its settings, and its end.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param <T> what an element is, boxed
 * @param <J> the kind of stream in the JDK
 * @param <S> the kind of stream here
 */
abstract sealed class PipelineStream<T, J extends BaseStream<T, J>, S> implements ScanSettings<S>
    permits RecordedStream, RecordedIntStream, RecordedLongStream, RecordedDoubleStream {
  private static final int MAX_KEYS_BYTES = 4 << 20;

  /** Nobody waits longer, and it is a number of nanoseconds that can be added to a time. */
  private static final Duration MAX_TIMEOUT = Duration.ofDays(36_500);

  private final Pipeline pipeline;
  private final LocalExecution openIterators = LocalExecution.withWeakReferences();
  private volatile boolean closed;

  PipelineStream(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** A stream of the same kind. */
  abstract S with(Pipeline other);

  /**
   * What it is so far.
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
            "filterKeys was given "
                + keys.size()
                + " keys of more than "
                + MAX_KEYS_BYTES
                + " bytes in all, which is the limit: get them one by one, or filter");
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
    if (elements < 1 || elements > ScanOptions.MAX_BATCH) {
      throw new IllegalArgumentException(
          "a batch has 1 to " + ScanOptions.MAX_BATCH + " elements, not " + elements);
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
      throw new IllegalArgumentException("a timeout is longer than nothing, not " + timeout);
    }
    Duration bounded = timeout.compareTo(MAX_TIMEOUT) > 0 ? MAX_TIMEOUT : timeout;
    return withOptions(pipeline().options().timeoutNanos(bounded.toNanos()));
  }

  // ------------------------------------------------------------------ as every stream

  public final boolean isParallel() {
    return pipeline().options().parallel();
  }

  public final S sequential() {
    return withOptions(pipeline().options().parallel(false));
  }

  public final S parallel() {
    return withOptions(pipeline().options().parallel(true));
  }

  /** As it is: a cache has no order that could be given up. */
  public final S unordered() {
    return with(pipeline());
  }

  public final S onClose(Runnable handler) {
    return with(pipeline().withCloseHandler(Objects.requireNonNull(handler)));
  }

  /** Stops the iterators of this object and runs the handlers, once, by the rules of the JDK. */
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

  // ------------------------------------------------------------------ stages of all shapes

  /** Each element once. */
  public final S distinct() {
    return with(pipeline().withLocalStage(elementKind(), new LocalStage.Distinct()));
  }

  /** In natural order. */
  public final S sorted() {
    return with(pipeline().sorted());
  }

  /** At most so many elements. */
  public final S limit(long maxSize) {
    return with(limitedPipeline(maxSize));
  }

  /** All but so many elements. */
  public final S skip(long n) {
    return with(pipeline().withLocalStage(elementKind(), LocalStage.skip(n)));
  }

  /** With a stage that runs here and leaves the elements what they are. */
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

  // ------------------------------------------------------------------ ends of all shapes

  /** How many elements there are. */
  public final long count() {
    return isRecorded() ? onOwners().count() : runLocally(stream -> elementKind().count(stream));
  }

  /** A publisher of the elements. */
  @SuppressWarnings("unchecked")
  public final CachePublisher<T> publisher() {
    if (!pipeline().isRecorded()) {
      return IteratorPublisher.of(
          pipeline().origin().world(), () -> (CloseableIterator<T>) pullElements());
    }
    RecordedStages recordedStages = pipeline().recordedStages();
    CacheStreams<?, ?> origin = pipeline().origin();
    return recordedStages.hasStages()
        ? origin
            .scans()
            .publish(
                recordedStages.part(),
                recordedStages.encodeTask(Terminal.Kind.ELEMENTS),
                pipeline().options(),
                in -> (T) origin.readElement(in))
        : origin
            .scans()
            .publish(
                recordedStages.part(),
                null,
                pipeline().options(),
                in -> (T) origin.elementForm().readStored(recordedStages.part(), in));
  }

  // ------------------------------------------------------------------ how it ends

  /** Whether owners run all of it, and so may run its end. */
  final boolean isRecorded() {
    return pipeline().isRecorded();
  }

  /** The cache as it is opened here. */
  @SuppressWarnings("unchecked")
  final <K, V> Cache<K, V> cache() {
    return (Cache<K, V>) pipeline().origin().cache();
  }

  /** The end of a stream that owners run. */
  final TerminalOperations onOwners() {
    return new TerminalOperations(pipeline());
  }

  /** Runs an operation that ends the stream here, and stops pulling whatever comes of it. */
  final <R> R runLocally(Function<J, R> terminal) {
    return runLocally(pipeline(), terminal);
  }

  /** As {@link #runLocally}, for an operation that looks at one element and asks for no more. */
  final <R> R runOnFirstLocally(Function<J, R> terminal) {
    return runLocally(limitedPipeline(1), terminal);
  }

  @SuppressWarnings("unchecked")
  private static <J extends BaseStream<?, J>, R> R runLocally(
      Pipeline toRun, Function<J, R> terminal) {
    try (LocalExecution execution = new LocalExecution()) {
      return terminal.apply((J) execution.open(toRun));
    }
  }

  /** Runs an operation that ends the stream here and has no result. */
  @SuppressWarnings("unchecked")
  final void consumeLocally(Consumer<J> terminal) {
    try (LocalExecution execution = new LocalExecution()) {
      terminal.accept((J) execution.open(pipeline()));
    }
  }

  /** The stream as one of the JDK, which closes what it opens when it is read to its end. */
  @SuppressWarnings("unchecked")
  final J openLocally() {
    return (J) openIterators.open(pipeline());
  }

  /** The elements one by one. */
  final CloseableIterator<Object> pullElements() {
    if (pipeline().isRecorded()) {
      return openIterators.closeLater(
          pipeline().pullElements(pipeline().options(), Terminal.Kind.ELEMENTS));
    }
    LocalExecution execution = new LocalExecution();
    Iterator<Object> elements =
        pipeline().elementKind().boxed(execution.open(pipeline())).iterator();
    return openIterators.closeLater(
        new CloseableIterator<>() {
          private boolean stopped;

          @Override
          public boolean hasNext() {
            if (stopped) {
              return false;
            }
            boolean hasMore = false;
            try {
              hasMore = elements.hasNext();
            } finally {
              // At its end, or when something threw, it has nothing to wait for.
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
