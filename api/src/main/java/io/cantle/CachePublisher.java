package io.cantle;

import java.util.List;
import java.util.concurrent.Flow;

/**
 * Publishes the elements of a stream. Each subscriber gets a scan of its own: each entry present
 * throughout exactly once, unless {@link ScanSettings#delivery} says otherwise, and no more
 * elements than it has requested. What waits for a slow subscriber is bounded by the batch of the
 * stream ({@link ScanSettings#distributedBatchSize}) and by 1 MiB, or one element that is longer;
 * owners keep nothing for it. Signals come one after another, on a thread of this node.
 *
 * <p>Rules are those of {@link Flow} and the Reactive Streams specification. Libraries that know
 * its interfaces and not those of {@link Flow} take {@code
 * org.reactivestreams.FlowAdapters.toPublisher(publisher)}; that class comes with the
 * reactive-streams jar they depend on, and Cantle does not.
 *
 * <p>A subscriber that has requested exactly as many elements as there are is told the end at once,
 * unless stages before the publisher run on this node: then with its next request.
 *
 * <p><b>Threading:</b> immutable, any thread.
 */
public interface CachePublisher<T> extends Flow.Publisher<T> {

  /**
   * Publishers over disjoint segments that are all segments together, for that many subscribers
   * that work side by side: each entry comes to one of them. Some have nothing to publish if there
   * are fewer segments.
   *
   * @param parts 1 to {@link CacheConfig#MAX_SEGMENTS}
   */
  List<Part<T>> split(int parts);

  /** Publishes also which segment each element is of, and what becomes of each segment. */
  Flow.Publisher<SegmentSignal<T>> bySegment();

  /**
   * One of several publishers that share a scan. It has one subscriber, once.
   *
   * <p><b>Threading:</b> any thread.
   */
  interface Part<T> extends Flow.Publisher<T> {

    /**
     * What its subscriber has not been given: a part that can be subscribed to again, and goes on
     * where this one was cancelled or failed. Elements that had come and were not delivered are in
     * it.
     *
     * @throws IllegalStateException if the subscription has not ended
     */
    Part<T> rest();

    /** Segments of which not all elements were delivered; all of them before a subscription. */
    java.util.Set<Integer> unfinished();
  }
}
