package io.cantle.simulation.walk;

import io.cantle.Durability;
import io.cantle.core.topology.Evolution;
import io.cantle.core.topology.ForkPlanner;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The nodes of a walk and what befalls them: faults, going on by themselves, sides that part and
 * meet, and quiet. What happens and what does not is drawn.
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
  private final List<WalkGrid> grids = new ArrayList<>();

  WalkWorld(WalkScene scene) {
    this.scene = scene;
    this.random = scene.random;
    this.layout = scene.layout;
    this.nodes = scene.nodes;
    this.copies = new CopyModel(layout, nodes);
    this.segments = new SegmentWork(scene, copies);
    this.leader = new WalkLeader(scene, copies);
  }

  /** The first nodes found a grid and its caches. */
  void found(Topology first) {
    List<WalkNode> members = List.copyOf(nodes);
    Topology now = first;
    FoundingFacts facts = new FoundingFacts(layout.caches());
    while (now.caches().size() < layout.caches().size() || facts.isNew(now)) {
      facts.adopted(now);
      now = Evolution.next(now, facts);
    }
    WalkGrid grid = new WalkGrid(layout, now);
    grids.add(grid);
    members.forEach(node -> copies.adopt(node, grid, grid.now()));
  }

  // ------------------------------------------------------------------ faults

  /** Whom to hurt: often an owner of a segment that few hold. */
  WalkNode victim(List<WalkNode> alive) {
    WalkNode any = alive.get(random.nextInt(alive.size()));
    int segment = random.nextInt(layout.segments());
    List<WalkNode> holders = alive.stream().filter(node -> node.copies[segment].holds()).toList();
    return holders.size() > 1 && !scene.oneIn(3)
        ? holders.get(random.nextInt(holders.size()))
        : any;
  }

  /** Whether enough are left without it for something to go on, or it may not. */
  boolean mayGo(WalkNode victim) {
    WalkGrid grid = victim.grid;
    if (grid == null || scene.oneIn(20)) {
      return true;
    }
    boolean isLast =
        IntStream.range(0, layout.segments())
            .anyMatch(
                segment ->
                    victim.copies[segment].holds()
                        && nodes.stream()
                            .noneMatch(
                                node ->
                                    node.alive && node != victim && node.copies[segment].holds()));
    victim.alive = false;
    boolean goesOn = scene.decidingGroup(grid, List.of()) >= 0;
    victim.alive = true;
    return goesOn && (!isLast || scene.oneIn(4));
  }

  void crash(WalkNode victim) {
    copies.crash(victim);
    for (int segment = 0; segment < layout.segments(); segment++) {
      BitSet writes = victim.copies[segment].writes;
      if (layout.cache(segment).config().durability().kind() == Durability.Kind.PERIODIC
          && scene.oneIn(2)
          && !writes.isEmpty()) {
        writes.clear(writes.length() - 1);
      }
    }
    scene.count(WalkEvent.CRASH);
    scene.tell(() -> victim + " crashes");
  }

  void cut(WalkNode victim) {
    victim.group = 1 + random.nextInt(3);
    scene.count(WalkEvent.CUT);
    scene.tell(() -> victim + " is cut off, with those of group " + victim.group);
  }

  void heal() {
    nodes.forEach(node -> node.group = 0);
    scene.tell(() -> "the network heals");
  }

  void suspend() {
    for (WalkGrid grid : grids) {
      grid.suspended = !grid.suspended && scene.oneIn(2);
    }
  }

  void leaderChanges() {
    grids.forEach(WalkGrid::leaderChanges);
    scene.tell(() -> "another member leads");
  }

  void acceptLosses() {
    for (WalkGrid grid : grids) {
      for (int segment = 0; segment < layout.segments(); segment++) {
        if (grid.ownership(segment).lost() && scene.oneIn(3)) {
          grid.acceptLoss(segment);
        }
      }
    }
  }

  /** A life with a store goes on with what its former one knew. */
  void restore(WalkNode node, WalkGrid grid, long number) {
    scene.count(WalkEvent.RETURN);
    copies.adopt(node, grid, grid.at(number));
  }

  // ------------------------------------------------------------------ going on

  /** Whatever may happen by itself, some of it. */
  void goOn() {
    for (WalkNode node : nodes) {
      if (node.alive && !scene.oneIn(4)) {
        work(node, false);
      }
    }
    segments.write();
    meet(false);
    for (WalkGrid grid : List.copyOf(grids)) {
      leader.decide(grid, false);
    }
  }

  /** Joiners fetch what they lack, some of them. */
  void receive() {
    nodes.stream().filter(node -> node.alive).forEach(node -> segments.fetch(node, 2));
  }

  /** A node adopts what it can hear of, opens what it leads, fetches, reports, merges. */
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
    scene.tell(() -> node + " has left");
  }

  /** It hears of what somebody of its group knows. */
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
      // It may have missed some, and hears of the last; or be behind.
      long number =
          !all && scene.oneIn(3) ? node.adopted + 1 + random.nextLong(known - node.adopted) : known;
      copies.adopt(node, grid, grid.at(number));
    }
  }

  // ------------------------------------------------------------------ sides

  /** Those of a grid that are cut off from its majority go on without it, where they may. */
  void split() {
    for (WalkGrid grid : List.copyOf(grids)) {
      if (grid.now().charter().available()) {
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
    Topology first = ForkPlanner.first(parent, founders, new UUID(9, random.nextLong()));
    WalkGrid fork = new WalkGrid(layout, first);
    scene.count(WalkEvent.FORK);
    scene.tell(() -> founders + " go on without the others: " + leader.text(first));
    for (int segment = 0; segment < layout.segments(); segment++) {
      Ownership ownership = layout.ownership(first, segment);
      if (!ownership.unowned() && ownership.born() < ownership.epoch()) {
        fork.acknowledged[segment].or(scene.life(ownership.primary()).copies[segment].writes);
      }
    }
    grids.add(fork);
    founders.forEach(member -> copies.adopt(scene.life(member), fork, first));
  }

  /** Two sides that meet: one gives way to the other. */
  private void meet(boolean always) {
    if (!grids.getFirst().now().charter().available()) {
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
          scene.tell(() -> those + " give way to another side");
          those.forEach(copies::leaveGrid);
          break;
        }
      }
    }
  }

  /**
   * As in the core: who descends from the other, or left their common grid earlier, gives way; and
   * whoever was excluded from a grid that can decide nothing here.
   */
  private boolean givesWay(WalkGrid mine, WalkGrid other, WalkNode node) {
    return SideOrder.goesOn(other.now().charter(), mine.now().charter())
        || (scene.decidingGroup(mine, List.of()) != node.group
            && (!node.isMember()
                || other.now().charter().descent().steps().stream()
                    .anyMatch(
                        step -> step.grid().equals(mine.id()) && step.number() >= node.adopted)));
  }

  // ------------------------------------------------------------------ quiet

  /**
   * Nothing happens any more until nothing is left to be done.
   *
   * @param judged whether all must be well then
   */
  void settle(boolean judged) {
    int still = 0;
    for (int round = 0; round < MAX_ROUNDS && still < 4; round++) {
      boolean changes = false;
      grids.forEach(grid -> grid.suspended = false);
      if (judged) {
        split();
        meet(true);
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

  /** The grids that can decide anything. */
  private List<WalkGrid> decidable() {
    return grids.stream().filter(grid -> scene.decidingGroup(grid, List.of()) >= 0).toList();
  }
}
