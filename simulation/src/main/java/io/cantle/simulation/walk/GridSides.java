package io.cantle.simulation.walk;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.ForkPlanner;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * The sides of an available grid. They separate when a cut divides them, and when two meet, one
 * gives way to the other.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class GridSides {
  private final WalkScene scene;
  private final SplittableRandom random;
  private final CacheLayout layout;
  private final List<WalkNode> nodes;
  private final List<WalkGrid> grids;
  private final CopyModel copies;

  GridSides(WalkScene scene, CopyModel copies) {
    this.scene = scene;
    this.random = scene.random;
    this.layout = scene.layout;
    this.nodes = scene.nodes;
    this.grids = scene.grids;
    this.copies = copies;
  }

  /**
   * Lets the members of a grid that are cut off from its majority go on without it, where they may.
   */
  void split() {
    for (WalkGrid grid : List.copyOf(grids)) {
      if (grid.now().gridDefinition().prefersAvailability()) {
        for (int group = 0; group <= 3; group++) {
          fork(grid, group);
        }
      }
    }
  }

  private void fork(WalkGrid grid, int group) {
    List<WalkNode> cutOff =
        nodes.stream()
            .filter(node -> node.alive && node.grid == grid && node.group == group)
            .toList();
    long known = cutOff.stream().mapToLong(node -> node.adopted).max().orElse(0);
    if (cutOff.isEmpty() || scene.decidingGroup(grid, List.of()) == group) {
      return;
    }
    cutOff.stream()
        .filter(node -> node.adopted < known)
        .forEach(node -> copies.adopt(node, grid, grid.at(known)));
    Topology parent = grid.at(known);
    List<Member> founders =
        parent.members().stream()
            .filter(member -> cutOff.stream().anyMatch(node -> node.member.equals(member)))
            .toList();
    if (founders.isEmpty()) {
      return;
    }
    Topology first = ForkPlanner.firstTopology(parent, founders, new UUID(9, random.nextLong()));
    WalkGrid fork = new WalkGrid(layout, first);
    scene.count(WalkEvent.FORK);
    scene.narrate(
        () -> founders + " go on without the others: " + new TopologyText(layout).all(first));
    for (int segment = 0; segment < layout.segments(); segment++) {
      SegmentOwnership ownership = layout.ownership(first, segment);
      if (!ownership.isUnowned() && ownership.birthEpoch() < ownership.epoch()) {
        fork.acknowledged[segment].or(scene.life(ownership.primary()).copies[segment].writes);
      }
    }
    grids.add(fork);
    founders.forEach(member -> copies.adopt(scene.life(member), fork, first));
  }

  /** Lets two sides meet: one gives way to the other. */
  void meet(boolean always) {
    if (!grids.getFirst().now().gridDefinition().prefersAvailability()) {
      return;
    }
    for (WalkNode node : nodes) {
      WalkGrid mine = node.grid;
      if (!node.alive || mine == null || !(always || scene.oneIn(3))) {
        continue;
      }
      for (WalkGrid other : List.copyOf(grids)) {
        if (other != mine
            && scene.decidingGroup(other, List.of()) == node.group
            && givesWay(mine, other, node)) {
          boolean isWhole = scene.decidingGroup(mine, List.of()) == node.group;
          List<WalkNode> those =
              isWhole
                  ? nodes.stream().filter(one -> one.alive && one.reaches(node)).toList()
                  : List.of(node);
          scene.narrate(() -> those + " give way to another side");
          those.forEach(copies::leaveGrid);
          break;
        }
      }
    }
  }

  /**
   * Decides as the core does. A side gives way if it descends from the other, or left their common
   * grid earlier. A node also gives way if it was excluded from a grid that can decide nothing
   * here.
   */
  private boolean givesWay(WalkGrid mine, WalkGrid other, WalkNode node) {
    return SideOrder.goesOn(other.now().gridDefinition(), mine.now().gridDefinition())
        || (scene.decidingGroup(mine, List.of()) != node.group
            && (!node.isMember()
                || other.now().gridDefinition().lineage().steps().stream()
                    .anyMatch(
                        step ->
                            step.gridId().equals(mine.id())
                                && step.topologyNumber() >= node.adopted)));
  }
}
