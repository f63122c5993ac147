package io.cantle.simulation.walk;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * The leader of a grid. It makes the next topology from what it was told, and the walk checks that
 * topology.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkLeader {
  private final WalkScene scene;
  private final CacheLayout layout;
  private final CopyModel copies;
  private final TopologyCheck topologies;
  private final HolderCheck holders;
  private final TopologyText text;

  WalkLeader(WalkScene scene, CopyModel copies) {
    this.scene = scene;
    this.layout = scene.layout;
    this.copies = copies;
    this.topologies = new TopologyCheck(layout);
    this.holders = new HolderCheck(layout, scene.nodes, copies);
    this.text = new TopologyText(layout);
  }

  /**
   * Decides the next topology, if enough members are present and something is to change.
   *
   * @param all whether the leader is told everything it could be, and nothing more
   */
  boolean decide(WalkGrid grid, boolean all) {
    int group = scene.decidingGroup(grid, List.of());
    if (group < 0) {
      return false;
    }
    Topology before = grid.now();
    listenToMembers(grid, group, all);
    listenToStrangers(grid, group, all);
    Topology after = TopologyPlanner.plan(before, grid);
    if (after.number() == before.number()) {
      grid.silent.clear();
      grid.joining.clear();
      return false;
    }
    scene.narrate(() -> text.change(before, after, grid));
    topologies.check(before, after);
    holders.check(grid, group, before, after);
    count(before, after);
    grid.decide(after);
    for (WalkNode node : scene.nodes) {
      boolean hears = node.alive && node.group == group;
      if (hears && node.grid == null && node.isAdmitted(after)) {
        copies.adopt(node, grid, after);
      }
    }
    return true;
  }

  /** Records which members are silent and which want to leave. */
  private void listenToMembers(WalkGrid grid, int group, boolean all) {
    for (Member member : grid.now().members()) {
      WalkNode node = scene.life(member);
      boolean isThere = node.alive && node.grid == grid && node.group == group;
      if (isThere ? !all && scene.oneIn(40) : all || scene.oneIn(2)) {
        grid.silent.add(member);
      }
      if (isThere && node.leaving && node.orphans.isEmpty()) {
        grid.leaving.add(member);
      }
    }
    if (scene.decidingGroup(grid, List.copyOf(grid.silent)) != group) {
      grid.silent.clear();
    }
  }

  /** Records which nodes ask to be admitted. */
  private void listenToStrangers(WalkGrid grid, int group, boolean all) {
    for (WalkNode node : scene.nodes) {
      boolean asks =
          node.alive
              && node.group == group
              && (node.grid == grid ? !node.isMember() : node.grid == null)
              && (!node.leaving || !node.orphans.isEmpty() || scene.isNeeded(node));
      if (asks && !grid.now().members().contains(node.member) && (all || !scene.oneIn(3))) {
        grid.requestAdmission(node);
      }
    }
  }

  private void count(Topology before, Topology after) {
    scene.count(WalkEvent.TOPOLOGY);
    for (int segment = 0; segment < layout.segments(); segment++) {
      count(layout.ownership(before, segment), layout.ownership(after, segment), after);
    }
  }

  private void count(SegmentOwnership from, SegmentOwnership to, Topology after) {
    if (to.isLost() && !from.isLost()) {
      scene.count(WalkEvent.LOSS);
    } else if (from.isLost() && !to.isLost() && to.birthEpoch() == from.birthEpoch()) {
      scene.count(WalkEvent.FIND);
    } else if (to.birthEpoch() > from.birthEpoch()) {
      scene.count(WalkEvent.EMPTY_BEGINNING);
    } else if (to.owners().stream().anyMatch(owner -> !holdsKnown(from, owner))) {
      if (from.owners().stream().noneMatch(after.members()::contains)) {
        scene.count(WalkEvent.RESCUE);
      }
      if (!to.joiners().isEmpty()) {
        scene.count(WalkEvent.PROMOTION_AMID_JOINS);
      }
    }
  }

  private static boolean holdsKnown(SegmentOwnership from, Member owner) {
    return from.owners().contains(owner) || from.lastOwners().stream().anyMatch(owner::isSameNode);
  }
}
