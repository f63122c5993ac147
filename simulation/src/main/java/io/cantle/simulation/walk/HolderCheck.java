package io.cantle.simulation.walk;

import io.cantle.Durability;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * A check, by the model, of what happens to the holders of a segment from one topology to the next.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class HolderCheck {
  private final CacheLayout layout;
  private final List<WalkNode> nodes;
  private final CopyModel copies;

  /**
   * @param nodes every incarnation there ever was
   */
  HolderCheck(CacheLayout layout, List<WalkNode> nodes, CopyModel copies) {
    this.layout = layout;
    this.nodes = nodes;
    this.copies = copies;
  }

  /**
   * Checks a step.
   *
   * @param group the nodes that decide it and those they reach
   */
  void check(WalkGrid grid, int group, Topology before, Topology after) {
    for (int segment = 0; segment < layout.segments(); segment++) {
      SegmentOwnership from = layout.ownership(before, segment);
      SegmentOwnership to = layout.ownership(after, segment);
      if (!from.equals(to)) {
        checkLoss(grid, group, segment, from, to, after);
        checkDropped(grid, group, segment, from, to, after);
      }
      checkOwners(grid, group, segment, from, to, after);
    }
  }

  private boolean isReached(WalkNode node, WalkGrid grid, int group, Topology after) {
    return node.alive
        && node.group == group
        && node.grid == grid
        && after.members().contains(node.member);
  }

  private void checkLoss(
      WalkGrid grid,
      int group,
      int segment,
      SegmentOwnership from,
      SegmentOwnership to,
      Topology after) {
    boolean begins = to.birthEpoch() == to.epoch() && to.epoch() > from.epoch();
    boolean isAccepted = from.isLost() && grid.isAccepted(segment, from.epoch());
    if ((!begins && !to.isLost()) || isAccepted || grid.acknowledged[segment].isEmpty()) {
      return;
    }
    String name = "segment " + segment + ", " + from + " -> " + to;
    for (WalkNode node : nodes) {
      if (node.grid != grid || node.followed || !CopyModel.holdsAll(node, segment, grid)) {
        continue;
      }
      Holder holder = holder(grid, segment, from, node);
      boolean isReached = isReached(node, grid, group, after);
      WalkViolation.unless(
          !(holder.known() && isReached),
          name + ": a segment has an owner while a holder is there, but " + node + " is none");
      if (begins) {
        WalkViolation.unless(
            !holder.mayComeBack() || after.gridDefinition().prefersAvailability(),
            name + ": it begins empty only if nobody holds it, but " + node + " does");
      } else if (!from.isLost() && holder.joins() && isReached) {
        WalkViolation.unless(
            to.writers().contains(node.member),
            name + ": a lost segment asks its joiners, but not " + node);
      } else if (!from.isLost() && holder.named() && holder.mayComeBack()) {
        WalkViolation.unless(
            to.lastOwners().stream().anyMatch(node.member::isSameNode),
            name + ": a holder is not forgotten, but " + node + " is");
      }
    }
  }

  /**
   * A node that holds everything.
   *
   * @param named whether the topology names it
   * @param joins whether it is a joiner
   * @param known whether the leader knows, by the topology or by what it was told
   * @param mayComeBack whether it is present, or may return with what it holds
   */
  private record Holder(boolean named, boolean joins, boolean known, boolean mayComeBack) {}

  private Holder holder(WalkGrid grid, int segment, SegmentOwnership from, WalkNode node) {
    SegmentCopy copy = node.copies[segment];
    boolean named = from.owners().contains(node.member) || from.lastOwners().contains(node.member);
    // No epoch was opened since it was excluded.
    boolean unserved =
        node.alive
            && copy.part == SegmentCopy.Part.OWNER
            && !copy.isReplaced()
            && copy.epoch >= grid.opened[segment];
    boolean joins = from.joiners().stream().anyMatch(one -> one.member().equals(node.member));
    boolean told =
        from.joiners().stream()
            .filter(one -> one.member().equals(node.member))
            .anyMatch(one -> grid.hasReceived(segment, from.epoch(), one));
    boolean isOutdated = copy.restored && isPeriodic(segment);
    return new Holder(
        named || unserved,
        joins,
        (named || told) && !isOutdated,
        node.alive ? named || joins || unserved : named && layout.cache(segment).isDurable());
  }

  private boolean isPeriodic(int segment) {
    return layout.cache(segment).config().durability().kind() == Durability.Kind.PERIODIC;
  }

  /** Checks that no complete holder is sent away while fewer owners are in sync than are wanted. */
  private void checkDropped(
      WalkGrid grid,
      int group,
      int segment,
      SegmentOwnership from,
      SegmentOwnership to,
      Topology after) {
    boolean isEnough = to.owners().size() >= to.targetOwners().size();
    for (WalkNode node : nodes) {
      boolean hadPart =
          from.writers().contains(node.member) || from.lastOwners().contains(node.member);
      boolean hasPart = to.writers().contains(node.member) || to.lastOwners().contains(node.member);
      boolean isMember = node.grid == grid && after.members().contains(node.member);
      if (!hasPart && hadPart && isEnough && isMember) {
        copies.replaced(node, segment, to.epoch());
      }
      WalkViolation.unless(
          hasPart
              || !hadPart
              || isEnough
              || to.birthEpoch() == to.epoch()
              || !isReached(node, grid, group, after)
              || !CopyModel.holdsAll(node, segment, grid),
          "segment "
              + segment
              + ", "
              + from
              + " -> "
              + to
              + ": a complete holder stays while too few are in sync, but "
              + node
              + " is sent away");
    }
  }

  /** Checks that every owner holds every acknowledged write. */
  private void checkOwners(
      WalkGrid grid,
      int group,
      int segment,
      SegmentOwnership from,
      SegmentOwnership to,
      Topology after) {
    for (Member owner : to.owners()) {
      WalkNode node =
          nodes.stream().filter(one -> one.member.equals(owner)).findFirst().orElseThrow();
      if (!node.alive
          || node.grid != grid
          || to.birthEpoch() > node.copies[segment].epoch
          || CopyModel.holdsAll(node, segment, grid)) {
        continue;
      }
      WalkViolation.unless(
          isPeriodic(segment)
              && to.owners().size() == 1
              && node.copies[segment].restored
              && nodes.stream()
                  .noneMatch(
                      one ->
                          isReached(one, grid, group, after) && counts(one, segment, from, grid)),
          "segment "
              + segment
              + ", "
              + to
              + ": every owner has every acknowledged write, "
              + grid.acknowledged[segment]
              + ", but "
              + node
              + " has "
              + node.copies[segment]
              + "; copies: "
              + nodes.stream()
                  .filter(one -> one.alive)
                  .map(one -> one + " " + one.copies[segment])
                  .toList());
      grid.acknowledged[segment].and(node.copies[segment].writes);
    }
  }

  /**
   * Returns whether a copy takes precedence over one from disk: it is whole, and no epoch was
   * opened without it.
   */
  private static boolean counts(WalkNode node, int segment, SegmentOwnership from, WalkGrid grid) {
    SegmentCopy copy = node.copies[segment];
    boolean tookPart =
        copy.part == SegmentCopy.Part.KEEPER
            ? from.lastOwners().contains(node.member)
            : copy.epoch >= grid.opened[segment];
    return tookPart
        && copy.holds()
        && !copy.restored
        && !copy.isReplaced()
        && CopyModel.holdsAll(node, segment, grid);
  }
}
