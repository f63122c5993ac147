package io.cantle.core.scan;

import io.cantle.CacheDestroyedException;
import io.cantle.GridException;
import io.cantle.core.base.Clock;
import io.cantle.core.call.CallLoop;
import io.cantle.core.call.CallPace;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a node that a scan uses, with the cache and the timeout of the scan.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param guard says if the node was closed meanwhile
 * @param gridId the grid in which the scan began
 * @param cacheName the name of the cache
 * @param cache its index in that grid's topology
 * @param keyFilter the only keys to read, or null for all
 * @param timeoutNanos how long the scan may go without progress
 */
public record ScanContext(
    MessagingService messaging,
    TopologyDriver topologyDriver,
    ClosedNodeGuard guard,
    ScanMetrics metrics,
    ScanBufferPool buffers,
    UUID gridId,
    String cacheName,
    int cache,
    @Nullable KeyFilter keyFilter,
    long timeoutNanos) {

  public Topology topology() {
    Topology topology = topologyDriver.current();
    if (!topology.gridId().equals(gridId)) {
      throw new GridException(
          "this node joined another grid of the same name during the scan; start the scan again");
    }
    if (topology.caches().isDestroyed(cache)) {
      throw new CacheDestroyedException(
          "cache \"%s\" was destroyed during the scan, with all its entries".formatted(cacheName));
    }
    return topology;
  }

  /** The loop of a scan that begins now. */
  CallLoop newLoop() {
    long deadline = clock().nanoTime() + timeoutNanos;
    return new CallLoop(topologyDriver, clock(), CallPace.SCAN, timeoutNanos, deadline);
  }

  public Member self() {
    return messaging.self();
  }

  public Clock clock() {
    return messaging.clock();
  }

  /** Returns a phrase that says that scans wait for memory, or an empty text if none does. */
  String memoryText() {
    int waiting = buffers.waitingCount();
    return waiting == 0
        ? ""
        : ", because "
            + waiting
            + " scans of this node wait for memory: "
            + buffers
            + " are reserved; run fewer at once, or give the node a larger heap";
  }

  /** The number of segments of the cache. */
  public int segmentCount() {
    return topology().caches().get(cache).segments().size();
  }

  /** The segments that a scan reads. */
  SegmentSet segments(ScanOptions options) {
    SegmentSet all = SegmentSet.range(0, segmentCount());
    SegmentSet chosen = options.segments();
    SegmentSet selected = chosen == null ? all : all.intersection(chosen);
    return keyFilter == null ? selected : selected.intersection(keyFilter.segments());
  }

  /** The beginning of each segment that a scan reads. */
  Map<Integer, SegmentCursor> startCursors(ScanOptions options) {
    Map<Integer, SegmentCursor> cursors = new TreeMap<>();
    segments(options).stream().forEach(segment -> cursors.put(segment, SegmentCursor.START));
    return cursors;
  }

  /**
   * The node to ask for a segment: this one if it is an owner that may be asked, else the primary.
   *
   * @throws GridException if the segment has no owners
   */
  Member sourceOf(Topology topology, int segment, boolean isOnlyAtPrimary) {
    SegmentOwnership ownership =
        topology.requireOwned(cache, segment, "a result without it would be wrong");
    return !isOnlyAtPrimary && ownership.owners().contains(self()) ? self() : ownership.primary();
  }
}
