package io.cantle;

import java.time.Duration;
import java.util.Set;

/**
 * How a stream goes about its entries: the settings of all kinds of cache streams. Each method
 * returns a stream with the setting and leaves the one it is called on as it is. Settings are of
 * the whole stream, wherever in the chain they are made.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param <S> the kind of stream
 */
public interface ScanSettings<S> {

  /**
   * Only the entries of these keys; owners of others are not asked. Said twice, both must hold.
   *
   * @throws IllegalArgumentException if a key is none a cache could hold, or they take more than 4
   *     MiB as bytes
   */
  S filterKeys(Set<?> keys);

  /**
   * Only the entries of these segments. Said twice, both must hold.
   *
   * @param segments numbers from 0 to {@link CacheConfig#segments()} - 1
   * @throws IllegalArgumentException if one is not among them
   */
  S filterKeySegments(Set<Integer> segments);

  /**
   * How many elements may wait at this node for its reader, 4,096 unless set; besides, they take 1
   * MiB at most, unless one is longer. What {@code flatMap} or {@code mapMulti} makes of one entry
   * comes together, whatever the batch.
   *
   * @param elements 1 to 1,048,576
   */
  S distributedBatchSize(int elements);

  /** One owner after another is asked. */
  S sequentialDistribution();

  /** Several owners are asked at the same time, up to four by an iterator: how it is unless set. */
  S parallelDistribution();

  /** {@link #delivery} at most once. */
  S disableRehashAware();

  /** How often an entry counts when the owner of its segment changes or fails meanwhile. */
  S delivery(Delivery delivery);

  /**
   * Is told of each segment when all of its elements have been handed out, once: of those without
   * elements too, never of one that was not finished. Told twice, both listen.
   *
   * <p>Where owners run all of the stream and its end, that is when what they made of the segment
   * counts here; those that an operation like {@code anyMatch} left off in are not told. Where
   * stages run here, that is when the first of them has taken the elements in: {@code sorted} takes
   * all before it hands out the first, and {@code limit} leaves off.
   */
  S segmentCompletionListener(SegmentListener listener);

  /**
   * How long it may take without progress; {@link GridConfig#timeout()} unless set. Owners that are
   * at work stop then, too.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  S timeout(Duration timeout);

  /** Hears of segments that are done; called by the thread that runs the stream. */
  @FunctionalInterface
  interface SegmentListener {
    /** All elements of this segment have been handed out. */
    void completed(int segment);
  }
}
