package io.cantle.simulation.walk;

import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What the nodes of a walk do by themselves: they adopt topologies, work on segments and leave, and
 * leaders decide. Chance decides which of it happens.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkWorld {
  private static final int MAX_ROUNDS = 120;

  private final WalkScene scene;
  private final SplittableRandom random;
  private final CacheLayout layout;
  private final List<WalkNode> nodes;
  private final CopyModel copies;
  private final SegmentWork segments;
  private final WalkLeader leader;
  private final GridSides sides;
  private final List<WalkGrid> grids;

  WalkWorld(WalkScene scene, CopyModel copies, GridSides sides) {
    this.scene = scene;
    this.random = scene.random;
    this.layout = scene.layout;
    this.nodes = scene.nodes;
    this.grids = scene.grids;
    this.copies = copies;
    this.sides = sides;
    this.segments = new SegmentWork(scene, copies);
    this.leader = new WalkLeader(scene, copies);
  }

  /** Has the first nodes found a grid and its caches. */
  void found(Topology first) {
    List<WalkNode> members = List.copyOf(nodes);
    Topology now = first;
    FoundingFacts facts = new FoundingFacts(layout.caches());
    while (now.caches().size() < layout.caches().size() || facts.isNew(now)) {
      facts.adopted(now);
      now = TopologyPlanner.plan(now, facts);
    }
    WalkGrid grid = new WalkGrid(layout, now);
    grids.add(grid);
    members.forEach(node -> copies.adopt(node, grid, grid.now()));
  }

  /** Lets an incarnation with a store go on with what its earlier one knew. */
  void restore(WalkNode node, WalkGrid grid, long number) {
    scene.count(WalkEvent.RETURN);
    copies.adopt(node, grid, grid.at(number));
  }

  /** Does some of what nodes and leaders do by themselves. */
  void proceed() {
    for (WalkNode node : nodes) {
      if (node.alive && !scene.oneIn(4)) {
        work(node, false);
      }
    }
    segments.write();
    sides.meet(false);
    for (WalkGrid grid : List.copyOf(grids)) {
      leader.decide(grid, false);
    }
  }

  /** Lets some joiners fetch what they lack. */
  void receive() {
    nodes.stream().filter(node -> node.alive).forEach(node -> segments.fetch(node, 2));
  }

  /** Lets a node adopt what it can hear of, open what it leads, fetch, report and merge. */
  private void work(WalkNode node, boolean all) {
    WalkGrid grid = node.grid;
    if (grid == null) {
      return;
    }
    adoptLatest(node, grid, all);
    for (int segment = 0; segment < layout.segments(); segment++) {
      segments.open(node, grid, segment);
    }
    if (all) {
      segments.fetch(node, 1);
    }
    if (scene.isDecisive(node, grid)) {
      segments.report(node, grid, all);
    }
    segments.merge(node, grid);
    if (node.leaving && node.orphans.isEmpty() && !node.isMember() && !scene.isNeeded(node)) {
      leave(node);
    }
  }

  private void leave(WalkNode node) {
    node.alive = false;
    for (int segment = 0; segment < layout.segments(); segment++) {
      if (node.copies[segment].holds()) {
        copies.checkKept(node.copies[segment].writes, segment, node + " leaves with its copy");
      }
    }
    scene.narrate(() -> node + " has left");
  }

  /** Lets a node adopt what some node of its group knows. */
  private void adoptLatest(WalkNode node, WalkGrid grid, boolean all) {
    boolean decides = scene.isDecisive(node, grid);
    long known =
        decides
            ? grid.now().number()
            : nodes.stream()
                .filter(node::reaches)
                .mapToLong(other -> other.adopted)
                .max()
                .orElse(node.adopted);
    if (known > node.adopted) {
      // It may have missed some topologies and hear of the last, or lag behind.
      long number =
          !all && scene.oneIn(3) ? node.adopted + 1 + random.nextLong(known - node.adopted) : known;
      copies.adopt(node, grid, grid.at(number));
    }
  }

  /**
   * Goes on without faults until nothing is left to be done.
   *
   * @param judged whether all must be well then
   */
  void settle(boolean judged) {
    int still = 0;
    for (int round = 0; round < MAX_ROUNDS && still < 4; round++) {
      boolean changes = false;
      grids.forEach(grid -> grid.suspended = false);
      if (judged) {
        sides.split();
        sides.meet(true);
      }
      for (WalkNode node : nodes) {
        if (node.alive) {
          work(node, true);
        }
      }
      for (WalkGrid grid : List.copyOf(grids)) {
        changes |= leader.decide(grid, true);
      }
      still = changes ? 0 : still + 1;
    }
    if (judged) {
      List<WalkGrid> decidable = decidable();
      scene.count(decidable.isEmpty() ? WalkEvent.NO_MAJORITY : WalkEvent.QUIET);
      new QuietCheck(layout, nodes).check(still >= 4, decidable);
    }
  }

  /** Returns the grids that can decide anything. */
  private List<WalkGrid> decidable() {
    return grids.stream().filter(grid -> scene.decidingGroup(grid, List.of()) >= 0).toList();
  }
}
