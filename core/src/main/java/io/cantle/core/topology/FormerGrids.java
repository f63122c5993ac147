package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import java.util.LinkedHashMap;
import java.util.UUID;

/**
 * The grids this node has left: it counts as a member of one of them only once it has been admitted
 * again, whatever those who do not know yet believe.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class FormerGrids {
  /** How many are remembered. */
  private static final int MAX_GRIDS = 64;

  private final LinkedHashMap<UUID, Long> leftAtNumbers = new LinkedHashMap<>();

  /** This node leaves a grid, of which it knows this topology. */
  void recordLeft(Topology last) {
    leftAtNumbers.remove(last.gridId());
    leftAtNumbers.put(last.gridId(), last.number());
    if (leftAtNumbers.size() > MAX_GRIDS) {
      leftAtNumbers.pollFirstEntry();
    }
  }

  /**
   * Whether a topology has admitted this node, in case it had left before. Who founds a fork brings
   * its copies along; a node that has none any more is not meant. Nor is it when it asked as one
   * that was excluded and left before that was heard: it is excluded once more, and comes anew.
   */
  boolean isAdmittedBy(Topology topology, Member self) {
    long admission = topology.membership().admissionNumber(self);
    Long left = leftAtNumbers.get(topology.gridId());
    return admission > (left == null ? 0 : left)
        && admission != topology.gridDefinition().firstNumberWithCopies()
        && (left == null || !expectsCopies(topology, admission, self));
  }

  /** Whether this node is to own what it has not been given since it was admitted. */
  private static boolean expectsCopies(Topology topology, long admission, Member self) {
    return topology.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .filter(segment -> segment.owners().contains(self))
        .anyMatch(
            segment -> admission != topology.number() || segment.epoch() != segment.birthEpoch());
  }
}
