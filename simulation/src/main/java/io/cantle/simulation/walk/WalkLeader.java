package io.cantle.simulation.walk;

import io.cantle.core.topology.Evolution;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * Who leads a grid: it makes the next topology of what it was told, which is checked.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkLeader {
  private final WalkScene scene;
  private final CacheLayout layout;
  private final CopyModel copies;
  private final StepCheck check;

  WalkLeader(WalkScene scene, CopyModel copies) {
    this.scene = scene;
    this.layout = scene.layout;
    this.copies = copies;
    this.check = new StepCheck(scene.layout, scene.nodes, copies);
  }

  /**
   * Decides the next topology, if enough are there and something is to change.
   *
   * @param all whether everything is told that could be, and nothing more
   */
  boolean decide(WalkGrid grid, boolean all) {
    int group = scene.decidingGroup(grid, List.of());
    if (group < 0) {
      return false;
    }
    Topology before = grid.now();
    for (Member member : before.members()) {
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
    for (WalkNode node : scene.nodes) {
      boolean asks =
          node.alive
              && node.group == group
              && (node.grid == grid ? !node.isMember() : node.grid == null)
              && (!node.leaving || !node.orphans.isEmpty() || scene.isNeeded(node));
      if (asks && !before.members().contains(node.member) && (all || !scene.oneIn(3))) {
        grid.asks(node);
      }
    }
    Topology after = Evolution.next(before, grid);
    if (after.number() == before.number()) {
      grid.silent.clear();
      grid.joining.clear();
      return false;
    }
    scene.tell(() -> text(before, after, grid));
    check.check(grid, group, before, after);
    scene.count(WalkEvent.TOPOLOGY);
    for (int segment = 0; segment < layout.segments(); segment++) {
      Ownership to = layout.ownership(after, segment);
      count(grid.ownership(segment), to, after);
      if (to.born() == to.epoch() && to.epoch() > grid.ownership(segment).epoch()) {
        grid.acknowledged[segment].clear();
      }
    }
    grid.decided(after);
    for (WalkNode node : scene.nodes) {
      boolean hears = node.alive && node.group == group;
      if (hears && node.grid == null && node.isAdmitted(after)) {
        copies.adopt(node, grid, after);
      }
    }
    return true;
  }

  private void count(Ownership from, Ownership to, Topology after) {
    if (to.lost() && !from.lost()) {
      scene.count(WalkEvent.LOSS);
    } else if (from.lost() && !to.lost() && to.born() == from.born()) {
      scene.count(WalkEvent.FIND);
    } else if (to.born() > from.born()) {
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

  private static boolean holdsKnown(Ownership from, Member owner) {
    return from.owners().contains(owner) || from.last().stream().anyMatch(owner::sameNode);
  }

  private String text(Topology before, Topology after, WalkGrid grid) {
    StringBuilder text = new StringBuilder();
    text.append("silent ").append(grid.silent).append(", asking ").append(grid.joining);
    text.append("; topology ").append(after.number()).append(": ").append(after.members());
    text.append(", voters ").append(after.membership().voters());
    for (int segment = 0; segment < layout.segments(); segment++) {
      Ownership from = layout.ownership(before, segment);
      Ownership to = layout.ownership(after, segment);
      if (!from.equals(to)) {
        text.append("\n    segment ").append(segment).append(": ").append(text(to));
      }
    }
    return text.toString();
  }

  String text(Topology topology) {
    StringBuilder text = new StringBuilder("topology " + topology.number());
    for (int segment = 0; segment < layout.segments(); segment++) {
      text.append("\n    segment ").append(segment).append(": ");
      text.append(text(layout.ownership(topology, segment)));
    }
    return text.toString();
  }

  private static String text(Ownership to) {
    return "epoch "
        + to.epoch()
        + (to.born() == to.epoch() ? " (begins empty)" : "")
        + (to.lost() ? " is LOST" : " owners " + to.owners())
        + " target "
        + to.target()
        + " joiners "
        + to.joiners().stream().map(one -> one.member() + "@" + one.since()).toList()
        + " retiring "
        + to.retiring()
        + " last "
        + to.last();
  }
}
