package io.cantle;

import java.util.List;
import java.util.concurrent.Flow;

/**
 * A publisher of the elements of a stream. Each subscriber gets a scan of its own, which delivers
 * each entry present throughout exactly once, unless {@link ScanSettings#delivery} says otherwise,
 * and no more elements than the subscriber requested. What waits for a slow subscriber is bounded
 * by the stream's batch ({@link ScanSettings#distributedBatchSize}) and by 1 MiB, or one element
 * that is longer; owners keep nothing for it. Signals come one after another, on a thread of this
 * node.
 *
 * <p>It follows the rules of {@link Flow} and of the Reactive Streams specification. Some libraries
 * know only that specification's interfaces; give them {@code
 * org.reactivestreams.FlowAdapters.toPublisher(publisher)}. That class comes with the
 * reactive-streams jar they depend on; Cantle does not depend on it.
 *
 * <p>A subscriber that has requested exactly as many elements as there are gets the end at once. If
 * stages before the publisher run on this node, it gets the end with its next request.
 *
 * <p><b>Threading:</b> immutable, any thread.
 */
public interface CachePublisher<T> extends Flow.Publisher<T> {

  /**
   * Splits the scan into publishers over disjoint segments, which together are all segments. Each
   * entry comes to one of their subscribers, which work side by side. If there are fewer segments
   * than parts, some parts publish nothing.
   *
   * @param parts 1 to {@link CacheConfig#MAX_SEGMENTS}
   */
  List<Part<T>> split(int parts);

  /** Publishes each element with the number of its segment, and how each segment ended. */
  Flow.Publisher<SegmentSignal<T>> bySegment();

  /**
   * One of several publishers that share a scan. It takes one subscriber, once.
   *
   * <p><b>Threading:</b> any thread.
   */
  interface Part<T> extends Flow.Publisher<T> {

    /**
     * Returns a new part with everything this part's subscriber did not get. It can be subscribed
     * to again, and goes on where this one was cancelled or failed. Elements that had arrived but
     * were not delivered are in it.
     *
     * @throws IllegalStateException if the subscription has not ended
     */
    Part<T> rest();

    /**
     * The segments of which not all elements were delivered; before a subscription, all of them.
     */
    java.util.Set<Integer> unfinished();
  }
}
