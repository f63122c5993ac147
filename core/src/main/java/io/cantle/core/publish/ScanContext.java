package io.cantle.core.publish;

import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Clock;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a scan needs of its node.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param gridId the grid in which it began
 * @param cache the place of the cache there
 * @param keyFilter the only ones it is about, in order, or null for all
 * @param timeoutNanos how long it may go without progress
 */
record ScanContext(
    MessagingService messaging,
    TopologyDriver topologyDriver,
    ScanMetrics metrics,
    ScanBuffers buffers,
    UUID gridId,
    int cache,
    @Nullable KeyFilter keyFilter,
    long timeoutNanos) {

  Topology topology() {
    Topology topology = topologyDriver.current();
    if (!topology.gridId().equals(gridId)) {
      throw new GridException(
          "this node joined another grid of the same name while it scanned; begin again");
    }
    return topology;
  }

  /** Fails at once when nobody can answer. */
  void checkAvailable() {
    if (topologyDriver.isCutOff()) {
      throw new NotAvailableException(
          "this node is cut off from the majority of its grid; a scan would miss what the others"
              + " hold");
    }
  }

  Member self() {
    return messaging.self();
  }

  Clock clock() {
    return messaging.clock();
  }

  /** Why a scan that has asked for nothing waits, or nothing. */
  String memoryText() {
    int waiting = buffers.waiting();
    return waiting == 0
        ? ""
        : ", for which "
            + waiting
            + " scans of this node wait for memory: "
            + buffers
            + " are reserved; run fewer at once, or give it a larger heap";
  }

  /** How many segments the cache has. */
  int segmentCount() {
    return topology().caches().get(cache).segments().size();
  }

  /** The segments a scan is about. */
  SegmentSet segments(ScanOptions options) {
    SegmentSet all = SegmentSet.range(0, segmentCount());
    SegmentSet chosen = options.segments();
    SegmentSet selected = chosen == null ? all : all.intersection(chosen);
    return keyFilter == null ? selected : selected.intersection(keyFilter.segments());
  }

  /** Who owns a segment that has owners. */
  SegmentOwnership ownership(Topology topology, int segment) {
    return topology.requireOwned(cache, segment, "a result without it would be wrong");
  }
}
