package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The grids this node has left: it counts as a member of one of them only once it has been admitted
 * again, whatever those who do not know yet believe.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Past {
  /** How many are remembered. */
  private static final int MAX_GRIDS = 64;

  private final Map<UUID, Long> leftAt = new LinkedHashMap<>();

  /** This node leaves a grid, of which it knows this topology. */
  void left(Topology last) {
    leftAt.remove(last.gridId());
    leftAt.put(last.gridId(), last.number());
    for (Iterator<UUID> oldest = leftAt.keySet().iterator(); leftAt.size() > MAX_GRIDS; ) {
      oldest.next();
      oldest.remove();
    }
  }

  /**
   * Whether a topology has admitted this node, in case it had left before. Who founds a fork brings
   * its copies along; a node that has none any more is not meant.
   */
  boolean admits(Topology topology, Member self) {
    long admission = topology.membership().admission(self);
    return admission > leftAt.getOrDefault(topology.gridId(), 0L)
        && admission != topology.charter().broughtCopies();
  }
}
