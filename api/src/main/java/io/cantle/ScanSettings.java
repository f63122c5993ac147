package io.cantle;

import java.time.Duration;
import java.util.Set;

/**
 * The settings that all kinds of cache streams share: which entries a stream reads, and how. Each
 * method returns a stream with the setting and leaves the original unchanged. A setting applies to
 * the whole stream, wherever in the chain it is made. What is not set is as {@link
 * CacheConfig#scanDefaults} of the cache says.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param <S> the kind of stream
 */
public interface ScanSettings<S> {

  /**
   * Reads only the entries of these keys; owners of other keys are not asked. If it is called
   * twice, both restrictions hold.
   *
   * @throws IllegalArgumentException if a key is one that no cache can hold, or the keys take more
   *     than 4 MiB as bytes
   */
  S filterKeys(Set<?> keys);

  /**
   * Reads only the entries of these segments. If it is called twice, both restrictions hold.
   *
   * @param segments numbers from 0 to {@link CacheConfig#segments()} - 1
   * @throws IllegalArgumentException if a number is out of range
   */
  S filterKeySegments(Set<Integer> segments);

  /**
   * Sets how many elements may wait at this node for their reader; 4,096 unless set here or as the
   * default of the cache. They also take at most 1 MiB, unless one element is longer. Where this
   * node keeps every element anyway, as for {@code toList}, both are four times as much unless the
   * number is set. The elements that {@code flatMap} or {@code mapMulti} makes of one entry come
   * together, whatever the batch.
   *
   * @param elements 1 to 1,048,576
   */
  S distributedBatchSize(int elements);

  /** Asks one owner after another. */
  S sequentialDistribution();

  /** Asks several owners at the same time, an iterator up to four. The default. */
  S parallelDistribution();

  /** Sets {@link #delivery} to at most once. */
  S disableRehashAware();

  /** Sets how often an entry counts if the owner of its segment changes or fails meanwhile. */
  S delivery(Delivery delivery);

  /**
   * Calls the listener once for each segment when all of its elements have been handed out. This
   * includes segments without elements, and never one that was not finished. If it is called twice,
   * both listeners are called.
   *
   * <p>If owners run the whole stream with its terminal operation, a segment is complete when its
   * result counts here; segments that an operation like {@code anyMatch} left early are not
   * reported. If stages run here, a segment is complete when the first of these stages has taken
   * its elements in: {@code sorted} takes all elements before it hands out the first, and {@code
   * limit} stops early.
   */
  S segmentCompletionListener(SegmentListener listener);

  /**
   * Sets how long the stream may take without progress; {@link GridConfig#timeout} unless set.
   * After that, owners that are at work stop as well. A count that visits no entries takes no
   * longer in all, whatever it has counted.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  S timeout(Duration timeout);

  /** Listens to completed segments. The thread that runs the stream calls it. */
  @FunctionalInterface
  interface SegmentListener {
    /** Called when all elements of this segment have been handed out. */
    void completed(int segment);
  }
}
