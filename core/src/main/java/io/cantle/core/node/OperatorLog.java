package io.cantle.core.node;

import io.cantle.core.operation.ConflictResolver;
import io.cantle.core.topology.GridDefinition;
import io.cantle.core.topology.PartitionHandling;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import java.util.List;

/**
 * What people are told about topologies: what becomes of a grid of two, and what has begun empty.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class OperatorLog {
  private static final System.Logger LOG = System.getLogger(OperatorLog.class.getName());

  private final String gridName;
  private final ConflictResolver conflictResolver;

  OperatorLog(String gridName, ConflictResolver conflictResolver) {
    this.gridName = gridName;
    this.conflictResolver = conflictResolver;
  }

  /** One topology follows another. */
  void onAdopted(Topology previous, Topology current) {
    if (current.members().size() == 2 && previous.members().size() != 2) {
      warnOfTwoMembers(current);
    }
    if (current.gridDefinition().prefersAvailability() && previous.isFounded()) {
      reportEmptySegments(previous, current);
    }
  }

  /** A grid of two cannot tell which of them is gone: its users have to know before it happens. */
  private void warnOfTwoMembers(Topology topology) {
    GridDefinition gridDefinition = topology.gridDefinition();
    String consequence;
    if (gridDefinition.prefersAvailability()) {
      consequence =
          "each goes on alone without the other, and both are merged when they meet again"
              + " (WhenCut.available)";
    } else if (gridDefinition.partitionHandling() == PartitionHandling.OLDEST_DECIDES) {
      consequence =
          "should one be gone, {1} goes on alone, and the other never does (WhenCut.oldestDecides)";
    } else {
      consequence =
          "should one be gone, the other answers nothing until it is back (WhenCut.stop); a third"
              + " member lets the grid go on, and so does GridConfig.whenCut: oldestDecides, of which"
              + " one of the two gains, or available, which may lose acknowledged writes";
    }
    LOG.log(
        System.Logger.Level.INFO,
        "grid \"{0}\" has two members: " + consequence,
        gridName,
        topology.members().getFirst());
  }

  private void reportEmptySegments(Topology previous, Topology current) {
    for (int cache = 0;
        cache < Math.min(previous.caches().size(), current.caches().size());
        cache++) {
      List<SegmentOwnership> previousSegments = previous.caches().get(cache).segments();
      List<SegmentOwnership> currentSegments = current.caches().get(cache).segments();
      int empty = 0;
      for (int segment = 0;
          segment < Math.min(previousSegments.size(), currentSegments.size());
          segment++) {
        empty +=
            currentSegments.get(segment).birthEpoch() > previousSegments.get(segment).epoch()
                ? 1
                : 0;
      }
      if (empty > 0) {
        conflictResolver.countEmptySegments(empty);
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} segments of cache \"{1}\" begin empty: none of their owners is here; what these"
                + " hold comes back with them",
            empty,
            current.caches().get(cache).definition().name());
      }
    }
  }
}
