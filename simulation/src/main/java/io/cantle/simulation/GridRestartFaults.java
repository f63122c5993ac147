package io.cantle.simulation;

import io.cantle.simulation.NodeSlot.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The injector of stops of a whole grid whose nodes have stores. All nodes are killed, at one
 * moment or one after the other, and restart in any order. Some take longer and some are killed
 * again while they restart. After a stop in a calm period, a few never restart.
 *
 * <p><b>Threading:</b> the driver's thread of its seed.
 */
final class GridRestartFaults {
  private static final long MILLISECOND_NANOS = 1_000_000;
  private static final long MAX_STOP_NANOS = 4_000 * MILLISECOND_NANOS;
  private static final long MAX_RETURN_NANOS = 3_000 * MILLISECOND_NANOS;
  private static final long MAX_ABSENCE_NANOS = 15_000 * MILLISECOND_NANOS;
  private static final long MAX_UPTIME_NANOS = 5_000 * MILLISECOND_NANOS;
  private static final int KILL_AGAIN_ONE_IN = 4;

  /**
   * At most this many members are voters. If more than half of them stayed away, no node could go
   * on.
   */
  private static final int MAX_VOTERS = 7;

  private final SimulatedNetwork network;
  private final NodePopulation population;
  private final SimulatedHost driver;
  private final SplittableRandom random;
  private boolean finished;

  GridRestartFaults(
      SimulatedNetwork network,
      NodePopulation population,
      SimulatedHost driver,
      SplittableRandom random) {
    this.network = network;
    this.population = population;
    this.driver = driver;
    this.random = random;
  }

  /**
   * Kills all nodes, and returns the names of those that are to restart.
   *
   * @param forSome whether some may stay away
   */
  List<String> stopGrid(boolean forSome) {
    boolean healed = population.isHealed() && population.isCalm();
    boolean atOnce = random.nextInt(3) > 0;
    List<NodeSlot> victims = shuffled(population.aliveNodes());
    List<String> names = new ArrayList<>();
    network.log().record(EventKind.STOP, driver, victims.size(), () -> "");
    while (!victims.isEmpty()) {
      for (NodeSlot victim : victims) {
        if (victim.host().isAlive()) {
          names.add(victim.host().name());
          population.kill(victim);
        }
        if (!atOnce) {
          advanceTime(random.nextLong(MAX_STOP_NANOS / victims.size()));
        }
      }
      // A node that was not admitted may have tried again meanwhile.
      victims = population.aliveNodes();
    }
    int voters = Math.min(names.size(), MAX_VOTERS);
    if (forSome && healed && atOnce && random.nextInt(3) == 0) {
      for (int absent = random.nextInt((voters + 1) / 2); absent > 0; absent--) {
        names.remove(random.nextInt(names.size()));
      }
    }
    return names;
  }

  /** Restarts the named nodes in random order. */
  void restart(List<String> names) {
    boolean late = random.nextBoolean();
    finished = false;
    for (String name : names) {
      boolean absent = late && random.nextInt(3) == 0;
      long after = random.nextLong(absent ? MAX_ABSENCE_NANOS : MAX_RETURN_NANOS);
      network.scheduler().schedule(after, null, () -> startNode(name));
    }
  }

  private void startNode(String name) {
    network.log().record(EventKind.RESTART, driver, () -> name);
    population.join(name);
    if (random.nextInt(KILL_AGAIN_ONE_IN) == 0) {
      network
          .scheduler()
          .schedule(random.nextLong(MAX_UPTIME_NANOS), null, () -> maybeKillAgain(name));
    }
  }

  /** From now on kills no node while it restarts. */
  void finish() {
    finished = true;
  }

  private void maybeKillAgain(String name) {
    if (finished) {
      return;
    }
    for (NodeSlot slot : population.nodeSlots()) {
      if (slot.host().name().equals(name) && slot.host().isAlive()) {
        population.kill(slot);
        network
            .scheduler()
            .schedule(random.nextLong(MAX_RETURN_NANOS), null, () -> startNode(name));
        return;
      }
    }
  }

  /** Returns whether all of the named nodes are members again. */
  boolean areBack(List<String> names) {
    List<String> present =
        population.nodeSlots().stream()
            .filter(slot -> slot.state() == State.STEADY)
            .map(slot -> slot.host().name())
            .toList();
    return present.containsAll(names);
  }

  private List<NodeSlot> shuffled(List<NodeSlot> stations) {
    List<NodeSlot> all = new ArrayList<>(stations);
    for (int i = all.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      NodeSlot moved = all.get(i);
      all.set(i, all.get(other));
      all.set(other, moved);
    }
    return all;
  }

  private void advanceTime(long nanos) {
    long until = network.scheduler().nowNanos() + nanos;
    while (network.scheduler().nowNanos() < until) {
      driver.clock().parkNanos(this, until - network.scheduler().nowNanos());
    }
  }
}
