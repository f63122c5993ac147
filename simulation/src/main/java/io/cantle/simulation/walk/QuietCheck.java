package io.cantle.simulation.walk;

import io.cantle.CacheMode;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * A check of what must hold once nothing has happened for long.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class QuietCheck {
  private final CacheLayout layout;
  private final List<WalkNode> nodes;

  QuietCheck(CacheLayout layout, List<WalkNode> nodes) {
    this.layout = layout;
    this.nodes = nodes;
  }

  /**
   * Checks that all is well, unless nobody can decide anything because most voters are dead.
   *
   * @param still whether nothing changes any more
   * @param grids those that can decide something
   */
  void check(boolean still, List<WalkGrid> grids) {
    if (grids.isEmpty()) {
      return;
    }
    must(still, "it comes to rest");
    must(grids.size() == 1, "the sides become one");
    WalkGrid grid = grids.getFirst();
    Topology now = grid.now();
    for (WalkNode node : nodes) {
      must(
          !node.alive || now.members().contains(node.member) || node.leaving,
          "everybody is a member, and " + node);
      must(node.alive || !now.members().contains(node.member), "the dead are none, nor " + node);
      must(
          !node.alive || node.orphans.isEmpty(),
          "everything is merged, and what " + node + " held");
    }
    for (int segment = 0; segment < layout.segments(); segment++) {
      check(grid, segment);
    }
  }

  private void check(WalkGrid grid, int segment) {
    Topology now = grid.now();
    SegmentOwnership ownership = grid.ownership(segment);
    String name = "segment " + segment + ", " + ownership;
    CacheDefinition cache = layout.cache(segment);
    List<Member> eligible = eligible(now, cache);
    if (ownership.isLost()) {
      for (WalkNode node : nodes) {
        must(
            !node.alive
                || node.grid != grid
                || grid.acknowledged[segment].isEmpty()
                || !mayBringBack(node, segment, ownership)
                || !CopyModel.holdsAll(node, segment, grid),
            name + " is lost only if nobody holds it, nor " + node);
      }
      return;
    }
    if (eligible.isEmpty()) {
      return;
    }
    int wanted =
        cache.config().mode() == CacheMode.REPLICATED
            ? eligible.size()
            : Math.min(cache.config().owners(), eligible.size());
    must(ownership.isSteady(), name + " is steady, with the copies " + copies(segment));
    must(ownership.owners().size() == wanted, name + " has " + wanted + " owners");
    must(eligible.containsAll(ownership.owners()), name + " is owned by those that may");
    must(!ownership.isUnconfirmed(), name + " is confirmed");
  }

  /**
   * Returns whether a node may bring its copy back from disk. Only the restart of an owner counts;
   * a joiner's copy is not asked for.
   */
  private static boolean mayBringBack(WalkNode node, int segment, SegmentOwnership ownership) {
    SegmentCopy copy = node.copies[segment];
    return copy.holds()
        && (!copy.restored || ownership.lastOwners().stream().anyMatch(node.member::isSameNode));
  }

  private List<String> copies(int segment) {
    return nodes.stream()
        .filter(node -> node.alive)
        .map(node -> node + " by topology " + node.adopted + ": " + node.copies[segment])
        .toList();
  }

  private static List<Member> eligible(Topology now, CacheDefinition cache) {
    List<Member> able =
        now.members().stream()
            .filter(member -> now.membership().capacityOf(member).mayOwnSegments())
            .filter(member -> !cache.isDurable() || member.hasStore())
            .toList();
    List<Member> staying = able.stream().filter(member -> !now.leaving().contains(member)).toList();
    return staying.isEmpty() ? able : staying;
  }

  private static void must(boolean holds, String what) {
    if (!holds) {
      throw new WalkViolation("after long quiet it does not hold that " + what);
    }
  }
}
