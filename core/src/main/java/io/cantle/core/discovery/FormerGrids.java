package io.cantle.core.discovery;

import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.LinkedHashMap;
import java.util.UUID;

/**
 * The grids this node has left. It counts as a member of one of them only once it has been admitted
 * again, whatever nodes believe that do not know yet that it left.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class FormerGrids {
  /** The most grids that are remembered. */
  private static final int MAX_GRIDS = 64;

  private final LinkedHashMap<UUID, Long> leftAtNumbers = new LinkedHashMap<>();

  /** Records that this node leaves a grid, of which this is the last topology it knows. */
  public void recordLeft(Topology last) {
    leftAtNumbers.remove(last.gridId());
    leftAtNumbers.put(last.gridId(), last.number());
    if (leftAtNumbers.size() > MAX_GRIDS) {
      leftAtNumbers.pollFirstEntry();
    }
  }

  /**
   * Whether a topology admits this node, which may have left that grid before. A first topology
   * with replicas of another grid does not: the founders of a fork bring theirs along, and this
   * node no longer has any. Neither does an admission that this node asked for as an excluded
   * member, before it left the grid. The grid excludes it once more, and it joins as a new node.
   */
  public boolean isAdmittedBy(Topology topology, Member self) {
    long admission = topology.membership().admissionNumber(self);
    Long left = leftAtNumbers.get(topology.gridId());
    return admission > (left == null ? 0 : left)
        && admission != topology.gridDefinition().firstNumberWithCopies()
        && (left == null || !expectsCopies(topology, admission, self));
  }

  /** Whether the topology has this node own something it has not been given since its admission. */
  private static boolean expectsCopies(Topology topology, long admission, Member self) {
    return topology
        .segments()
        .filter(segment -> segment.owners().contains(self) || segment.isHeldBefore(self))
        .anyMatch(
            segment -> admission != topology.number() || segment.epoch() != segment.birthEpoch());
  }
}
