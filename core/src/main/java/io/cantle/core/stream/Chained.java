package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanSettings;
import io.cantle.core.publish.IteratorPublisher;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.stream.Pipeline.Here;
import io.cantle.core.stream.Pipeline.Opened;
import io.cantle.core.stream.Task.Recording;
import io.cantle.core.stream.Task.Terminal;
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
abstract sealed class Chained<T, J extends BaseStream<T, J>, S> implements ScanSettings<S>
    permits RecordedStream, RecordedIntStream, RecordedLongStream, RecordedDoubleStream {
  private static final int KEYS_MAX_BYTES = 4 << 20;

  /** Nobody waits longer, and it is a number of nanoseconds that can be added to a time. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Pipeline pipeline;
  private final Opened iterators = Opened.weakly();
  private volatile boolean closed;

  Chained(Pipeline pipeline) {
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

  private S with(ScanOptions options) {
    return with(pipeline().with(options));
  }

  @Override
  public final S filterKeys(Set<?> keys) {
    List<byte[]> known = pipeline().options().keys();
    Set<ByteBuffer> allowed = new HashSet<>();
    if (known != null) {
      known.forEach(key -> allowed.add(ByteBuffer.wrap(key)));
    }
    List<byte[]> wanted = new ArrayList<>(keys.size());
    long bytes = 0;
    for (Object key : keys) {
      byte[] encoded = pipeline().origin().codec().encodeKey(key);
      bytes += encoded.length;
      if (bytes > KEYS_MAX_BYTES) {
        throw new IllegalArgumentException(
            "filterKeys was given "
                + keys.size()
                + " keys of more than "
                + KEYS_MAX_BYTES
                + " bytes in all, which is the limit: get them one by one, or filter");
      }
      if (known == null || allowed.contains(ByteBuffer.wrap(encoded))) {
        wanted.add(encoded);
      }
    }
    return with(pipeline().options().keys(wanted));
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
    return with(
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
    return with(pipeline().options().batch(elements));
  }

  @Override
  public final S sequentialDistribution() {
    return with(pipeline().options().sequential(true));
  }

  @Override
  public final S parallelDistribution() {
    return with(pipeline().options().sequential(false));
  }

  @Override
  public final S disableRehashAware() {
    return delivery(Delivery.AT_MOST_ONCE);
  }

  @Override
  public final S delivery(Delivery delivery) {
    return with(pipeline().options().delivery(Objects.requireNonNull(delivery)));
  }

  @Override
  public final S segmentCompletionListener(SegmentListener listener) {
    return with(pipeline().options().listener(Objects.requireNonNull(listener)));
  }

  @Override
  public final S timeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("a timeout is longer than nothing, not " + timeout);
    }
    Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    return with(pipeline().options().timeoutNanos(bounded.toNanos()));
  }

  // ------------------------------------------------------------------ as every stream

  public final boolean isParallel() {
    return pipeline().options().parallel();
  }

  public final S sequential() {
    return with(pipeline().options().parallel(false));
  }

  public final S parallel() {
    return with(pipeline().options().parallel(true));
  }

  /** As it is: a cache has no order that could be given up. */
  public final S unordered() {
    return with(pipeline());
  }

  public final S onClose(Runnable handler) {
    return with(pipeline().onClose(Objects.requireNonNull(handler)));
  }

  /** Stops the iterators of this object and runs the handlers, once, by the rules of the JDK. */
  public final void close() {
    iterators.close();
    if (!closed) {
      closed = true;
      Stream<Object> handlers = Stream.empty();
      for (Runnable handler : pipeline.closing()) {
        handlers = handlers.onClose(handler);
      }
      handlers.close();
    }
  }

  // ------------------------------------------------------------------ stages of all shapes

  /** Each element once. */
  public final S distinct() {
    return with(pipeline().here(shape(), new Here.Distinct()));
  }

  /** In natural order. */
  public final S sorted() {
    return with(pipeline().sorted());
  }

  /** At most so many elements. */
  public final S limit(long maxSize) {
    return with(limited(maxSize));
  }

  /** All but so many elements. */
  public final S skip(long n) {
    return with(pipeline().here(shape(), Here.skipping(n)));
  }

  /** With a stage that runs here and leaves the elements what they are. */
  @SuppressWarnings("unchecked")
  final S then(UnaryOperator<J> stage) {
    return with(pipeline().here(shape(), stream -> stage.apply((J) stream)));
  }

  private Pipeline limited(long maxSize) {
    return pipeline().here(shape(), Here.limited(maxSize));
  }

  private Shape shape() {
    return pipeline().shape();
  }

  // ------------------------------------------------------------------ ends of all shapes

  /** How many elements there are. */
  public final long count() {
    return recorded() ? owners().count() : run(stream -> shape().count(stream));
  }

  /** A publisher of the elements. */
  @SuppressWarnings("unchecked")
  public final CachePublisher<T> publisher() {
    if (!pipeline().recorded()) {
      return IteratorPublisher.over(
          pipeline().origin().world(), () -> (CloseableIterator<T>) pull());
    }
    Recording recording = pipeline().recording();
    Streams<?, ?> origin = pipeline().origin();
    return recording.hasStages()
        ? origin
            .scans()
            .publish(
                recording.part(),
                recording.end(Terminal.Kind.ELEMENTS),
                pipeline().options(),
                in -> (T) origin.element(in))
        : origin
            .scans()
            .publish(
                recording.part(),
                null,
                pipeline().options(),
                in -> (T) origin.elementForm().readStored(recording.part(), in));
  }

  // ------------------------------------------------------------------ how it ends

  /** Whether owners run all of it, and so may run its end. */
  final boolean recorded() {
    return pipeline().recorded();
  }

  /** The cache as it is opened here. */
  @SuppressWarnings("unchecked")
  final <K, V> Cache<K, V> cache() {
    return (Cache<K, V>) pipeline().origin().cache();
  }

  /** The end of a stream that owners run. */
  final Ends owners() {
    return new Ends(pipeline());
  }

  /** Runs an operation that ends the stream here, and stops pulling whatever comes of it. */
  final <R> R run(Function<J, R> terminal) {
    return run(pipeline(), terminal);
  }

  /** As {@link #run}, for an operation that looks at one element and asks for no more. */
  final <R> R runOnFirst(Function<J, R> terminal) {
    return run(limited(1), terminal);
  }

  @SuppressWarnings("unchecked")
  private static <J extends BaseStream<?, J>, R> R run(Pipeline what, Function<J, R> terminal) {
    try (Opened opened = new Opened()) {
      return terminal.apply((J) opened.open(what));
    }
  }

  /** Runs an operation that ends the stream here and has no result. */
  @SuppressWarnings("unchecked")
  final void each(Consumer<J> terminal) {
    try (Opened opened = new Opened()) {
      terminal.accept((J) opened.open(pipeline()));
    }
  }

  /** The stream as one of the JDK, which closes what it opens when it is read to its end. */
  @SuppressWarnings("unchecked")
  final J here() {
    return (J) iterators.open(pipeline());
  }

  /** The elements one by one. */
  final CloseableIterator<Object> pull() {
    if (pipeline().recorded()) {
      return iterators.add(pipeline().pull(pipeline().options(), Terminal.Kind.ELEMENTS));
    }
    Opened opened = new Opened();
    Iterator<Object> elements = pipeline().shape().boxed(opened.open(pipeline())).iterator();
    return iterators.add(
        new CloseableIterator<>() {
          private boolean stopped;

          @Override
          public boolean hasNext() {
            if (stopped) {
              return false;
            }
            boolean more = false;
            try {
              more = elements.hasNext();
            } finally {
              // At its end, or when something threw, it has nothing to wait for.
              if (!more) {
                close();
              }
            }
            return more;
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
              opened.close();
            }
          }
        });
  }
}
