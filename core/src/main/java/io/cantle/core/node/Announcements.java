package io.cantle.core.node;

import io.cantle.core.operate.Conflicts;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import java.util.List;

/**
 * What people are told about topologies: what becomes of a grid of two, and what has begun empty.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Announcements {
  private static final System.Logger LOG = System.getLogger(Announcements.class.getName());

  private final String gridName;
  private final Conflicts conflicts;

  Announcements(String gridName, Conflicts conflicts) {
    this.gridName = gridName;
    this.conflicts = conflicts;
  }

  /** One topology follows another. */
  void adopted(Topology before, Topology now) {
    if (now.members().size() == 2 && before.members().size() != 2) {
      warnOfTwo(now);
    }
    if (now.charter().available() && before.founded()) {
      countBegunEmpty(before, now);
    }
  }

  /** A grid of two cannot tell which of them is gone: its users have to know before it happens. */
  private void warnOfTwo(Topology topology) {
    Charter charter = topology.charter();
    String what;
    if (charter.available()) {
      what =
          "each goes on alone without the other, and both are merged when they meet again"
              + " (WhenCut.available)";
    } else if (charter.mode() == Mode.OLDEST_DECIDES) {
      what =
          "should one be gone, {1} goes on alone, and the other never does (WhenCut.oldestDecides)";
    } else {
      what =
          "should one be gone, the other answers nothing until it is back (WhenCut.stop); a third"
              + " member lets the grid go on, and so does GridConfig.whenCut: oldestDecides, of which"
              + " one of the two gains, or available, which may lose acknowledged writes";
    }
    LOG.log(
        System.Logger.Level.INFO,
        "grid \"{0}\" has two members: " + what,
        gridName,
        topology.members().getFirst());
  }

  private void countBegunEmpty(Topology before, Topology now) {
    for (int cache = 0; cache < Math.min(before.caches().size(), now.caches().size()); cache++) {
      List<Ownership> were = before.caches().get(cache).segments();
      List<Ownership> are = now.caches().get(cache).segments();
      int empty = 0;
      for (int segment = 0; segment < Math.min(were.size(), are.size()); segment++) {
        empty += are.get(segment).born() > were.get(segment).epoch() ? 1 : 0;
      }
      if (empty > 0) {
        conflicts.begunEmpty(empty);
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} segments of cache \"{1}\" begin empty: none of their owners is here; what these"
                + " hold comes back with them",
            empty,
            now.caches().get(cache).definition().name());
      }
    }
  }
}
