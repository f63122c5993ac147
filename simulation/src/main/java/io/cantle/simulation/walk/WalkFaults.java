package io.cantle.simulation.walk;

import io.cantle.Durability;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The faults of a walk: crashes, cuts, suspensions, changes of leaders, and operators who accept a
 * loss.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkFaults {
  private final WalkScene scene;
  private final SplittableRandom random;
  private final CacheLayout layout;
  private final List<WalkNode> nodes;
  private final CopyModel copies;

  WalkFaults(WalkScene scene, CopyModel copies) {
    this.scene = scene;
    this.random = scene.random;
    this.layout = scene.layout;
    this.nodes = scene.nodes;
    this.copies = copies;
  }

  /** Chooses a node to harm: often one that holds a segment. */
  WalkNode chooseVictim(List<WalkNode> alive) {
    WalkNode any = alive.get(random.nextInt(alive.size()));
    int segment = random.nextInt(layout.segments());
    List<WalkNode> holders = alive.stream().filter(node -> node.copies[segment].holds()).toList();
    return holders.size() > 1 && !scene.oneIn(3)
        ? holders.get(random.nextInt(holders.size()))
        : any;
  }

  /**
   * Returns whether enough nodes are left without a node for its grid to go on. At times this is
   * waived.
   */
  boolean mayCrash(WalkNode victim) {
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
    scene.narrate(() -> victim + " crashes");
  }

  void cut(WalkNode victim) {
    victim.group = 1 + random.nextInt(3);
    scene.count(WalkEvent.CUT);
    scene.narrate(() -> victim + " is cut off, with those of group " + victim.group);
  }

  void heal() {
    nodes.forEach(node -> node.group = 0);
    scene.narrate(() -> "the network heals");
  }

  void suspend() {
    for (WalkGrid grid : scene.grids) {
      grid.suspended = !grid.suspended && scene.oneIn(2);
    }
  }

  void changeLeaders() {
    scene.grids.forEach(WalkGrid::changeLeader);
    scene.narrate(() -> "another member leads");
  }

  void acceptLosses() {
    for (WalkGrid grid : scene.grids) {
      for (int segment = 0; segment < layout.segments(); segment++) {
        if (grid.ownership(segment).isLost() && scene.oneIn(3)) {
          grid.acceptLoss(segment);
        }
      }
    }
  }
}
