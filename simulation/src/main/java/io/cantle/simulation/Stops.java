package io.cantle.simulation;

import io.cantle.simulation.Station.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Stops of a whole grid whose nodes have stores: all are killed, at one moment or one after the
 * other, and start again in any order. Some take longer, some are killed again on the way, and
 * after a stop amid calm a few never come back.
 *
 * <p><b>Threading:</b> the driver's thread of its seed.
 */
final class Stops {
  private static final long MILLISECOND = 1_000_000;
  private static final long LONGEST_STOP_NANOS = 4_000 * MILLISECOND;
  private static final long LONGEST_RETURN_NANOS = 3_000 * MILLISECOND;
  private static final long LONGEST_ABSENCE_NANOS = 15_000 * MILLISECOND;
  private static final long LONGEST_LIFE_NANOS = 5_000 * MILLISECOND;
  private static final int RELAPSE_ONE_IN = 4;

  /** So many decide at most: should more of them than half stay away, nobody goes on. */
  private static final int MAX_VOTERS = 7;

  private final Network network;
  private final Population population;
  private final Host driver;
  private final SplittableRandom random;
  private boolean over;

  Stops(Network network, Population population, Host driver, SplittableRandom random) {
    this.network = network;
    this.population = population;
    this.driver = driver;
    this.random = random;
  }

  /**
   * Kills everybody; returns the names of those that are to come back.
   *
   * @param forSome whether some may stay away
   */
  List<String> stop(boolean forSome) {
    boolean healed = population.healed() && population.calm();
    boolean atOnce = random.nextInt(3) > 0;
    List<Station> victims = shuffled(population.alive());
    List<String> names = new ArrayList<>();
    network.log().record(EventKind.STOP, driver, victims.size(), () -> "");
    while (!victims.isEmpty()) {
      for (Station victim : victims) {
        if (victim.host().alive()) {
          names.add(victim.host().name());
          population.kill(victim);
        }
        if (!atOnce) {
          pass(random.nextLong(LONGEST_STOP_NANOS / victims.size()));
        }
      }
      // One that was not let in may have tried again meanwhile.
      victims = population.alive();
    }
    int voters = Math.min(names.size(), MAX_VOTERS);
    if (forSome && healed && atOnce && random.nextInt(3) == 0) {
      for (int absent = random.nextInt((voters + 1) / 2); absent > 0; absent--) {
        names.remove(random.nextInt(names.size()));
      }
    }
    return names;
  }

  /** Starts these again, in any order. */
  void restart(List<String> names) {
    boolean late = random.nextBoolean();
    over = false;
    for (String name : names) {
      boolean absent = late && random.nextInt(3) == 0;
      long after = random.nextLong(absent ? LONGEST_ABSENCE_NANOS : LONGEST_RETURN_NANOS);
      network.scheduler().at(after, null, () -> begin(name));
    }
  }

  private void begin(String name) {
    network.log().record(EventKind.RESTART, driver, () -> name);
    population.join(name);
    if (random.nextInt(RELAPSE_ONE_IN) == 0) {
      network.scheduler().at(random.nextLong(LONGEST_LIFE_NANOS), null, () -> relapse(name));
    }
  }

  /** From now on nobody is killed again on the way. */
  void over() {
    over = true;
  }

  private void relapse(String name) {
    if (over) {
      return;
    }
    for (Station station : population.stations()) {
      if (station.host().name().equals(name) && station.host().alive()) {
        population.kill(station);
        network.scheduler().at(random.nextLong(LONGEST_RETURN_NANOS), null, () -> begin(name));
        return;
      }
    }
  }

  /** Whether all of these are members again. */
  boolean back(List<String> names) {
    List<String> present =
        population.stations().stream()
            .filter(station -> station.state() == State.STEADY)
            .map(station -> station.host().name())
            .toList();
    return present.containsAll(names);
  }

  private List<Station> shuffled(List<Station> stations) {
    List<Station> all = new ArrayList<>(stations);
    for (int i = all.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Station moved = all.get(i);
      all.set(i, all.get(other));
      all.set(other, moved);
    }
    return all;
  }

  private void pass(long nanos) {
    long until = network.scheduler().nowNanos() + nanos;
    while (network.scheduler().nowNanos() < until) {
      driver.clock().parkNanos(this, until - network.scheduler().nowNanos());
    }
  }
}
