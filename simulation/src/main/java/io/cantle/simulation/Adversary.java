package io.cantle.simulation;

import io.cantle.simulation.Scenario.Incident;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Makes happen what a scenario says. A crash is put off while it would ask more of the system than
 * it promises: no more nodes are dead or away at once than there are spare copies, and a majority
 * is there; both count until every node says that all is settled. Only {@link Fault#OVERLOAD}
 * ignores that.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Adversary {
  private static final long MILLISECOND = 1_000_000L;
  private static final int FEWEST = 2;

  /** Of so many members a majority must be there, however many others there are. */
  private static final int VOTERS = 7;

  private static final int MOST = 9;
  private static final long SHORTEST_PAUSE_NANOS = 20 * MILLISECOND;

  /** Shorter than the time after which a silent member may be given up. */
  private static final long SHORT_PAUSE_NANOS = 900 * MILLISECOND;

  private static final long LONGEST_PAUSE_NANOS = 20_000 * MILLISECOND;
  private static final long LONGEST_RESTART_NANOS = 2_000 * MILLISECOND;
  private static final long LONGEST_DELAY_NANOS = 4_000 * MILLISECOND;

  /** A copy that is younger may not be known for one. */
  private static final long SHORTEST_AGE_NANOS = 2_000 * MILLISECOND;

  private static final long LONGEST_AGE_NANOS = 9_000 * MILLISECOND;
  private static final long RETRY_NANOS = 100 * MILLISECOND;
  private static final long OVERLOAD_WITHIN_NANOS = 300 * MILLISECOND;

  /** Whoever was away may be given up a while after it came back, by a decision under way. */
  private static final long QUIET_NANOS = 6_000 * MILLISECOND;

  private static final long SENDING_WITHIN_NANOS = 50 * MILLISECOND;

  private final Scenario scenario;
  private final Network network;
  private final Population population;
  private final Host driver;
  private final SplittableRandom random;
  private final Cutting cutting;
  private int dead;
  private int away;
  private boolean overloaded;
  private boolean calm;
  private boolean halted;
  private boolean leftAmidTrouble;
  private LongConsumer suspended = nanos -> {};

  Adversary(
      Scenario scenario,
      Network network,
      Population population,
      Host driver,
      SplittableRandom random) {
    this.scenario = scenario;
    this.network = network;
    this.population = population;
    this.driver = driver;
    this.random = random;
    this.cutting = new Cutting(network, driver, random.split());
  }

  /** Has somebody told that a machine is suspended from that moment on, and for how long. */
  void whenSuspended(LongConsumer listener) {
    suspended = listener;
  }

  /** Whether more was killed than the system promises to stand. */
  boolean overloaded() {
    return overloaded;
  }

  /** Cuts those that are just starting in two, for so long. */
  void part(long nanos) {
    cutting.begin(Fault.HALVES, places(), nanos);
  }

  private List<Integer> places() {
    return population.alive().stream().map(station -> station.transport().place()).toList();
  }

  /** Lets the incidents of the scenario happen from now on. */
  void begin() {
    for (Incident incident : scenario.incidents()) {
      attempt(incident.fault(), incident.nanos(), LONGEST_DELAY_NANOS);
    }
    scenario.storeCopies().forEach(nanos -> later(nanos, this::copiesStore));
  }

  /** Copies the store of a node, and puts the copy back when it is old. */
  private void copiesStore() {
    List<Station> steady = population.steady();
    Station victim = steady.isEmpty() ? null : any(steady);
    Disk copy = victim == null ? null : population.copyOfDisk(victim.host().name());
    if (victim != null && copy != null) {
      long age = random.nextLong(SHORTEST_AGE_NANOS, LONGEST_AGE_NANOS);
      later(age, () -> putsBack(victim, copy, LONGEST_DELAY_NANOS));
    }
  }

  private void putsBack(Station victim, Disk copy, long patienceNanos) {
    boolean isUsed = victim.state() == Station.State.STEADY && victim.host().alive();
    if (halted || !isUsed || !mayLose()) {
      if (patienceNanos > 0) {
        later(RETRY_NANOS, () -> putsBack(victim, copy, patienceNanos - RETRY_NANOS));
      }
      return;
    }
    dead++;
    network.log().record(EventKind.OLD_STORE, victim.host(), () -> "");
    String name = victim.host().name();
    population.kill(victim);
    population.putBack(name, copy);
    later(random.nextLong(LONGEST_RESTART_NANOS), () -> restarts(victim));
  }

  /**
   * While all are down, and until they are back, nothing else happens that has not begun. Then
   * nobody may die before all is settled: some served before others were back, with fewer owners.
   */
  void halt(boolean value) {
    halted = value;
    dead = scenario.crashesSurvived();
    away = 0;
  }

  /** Ends everything: ways are open, who stands still goes on, who is dead stays dead. */
  void calm() {
    calm = true;
    population.alive().forEach(station -> station.host().resume());
    network.calm();
    if (overloaded) {
      population.abandon();
    }
  }

  /** Tries after a delay, and again while there is patience. */
  private void attempt(Fault fault, long delayNanos, long patienceNanos) {
    later(
        delayNanos,
        () -> {
          if ((halted || !happens(fault)) && patienceNanos > 0) {
            attempt(fault, RETRY_NANOS, patienceNanos - RETRY_NANOS);
          }
        });
  }

  /** Does something on a thread of the driver's, unless all has become calm. */
  private void later(long delayNanos, Runnable action) {
    Runnable unlessCalm =
        () -> {
          if (!calm) {
            action.run();
          }
        };
    network.scheduler().at(delayNanos, driver, () -> driver.start(Role.CLIENT, unlessCalm));
  }

  private boolean happens(Fault fault) {
    return switch (fault) {
      case JOIN -> joins();
      case LEAVE -> leaves();
      case CRASH -> crashes(false);
      case RESTART -> crashes(true);
      case OVERLOAD -> overloads();
      case PAUSE -> pauses(1, SHORTEST_PAUSE_NANOS, SHORT_PAUSE_NANOS);
      case LONG_PAUSE -> pauses(random.nextInt(1, 3), SHORT_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
      case SUSPENSION -> suspends();
      case SUSPICION -> suspects();
      case ONE_WAY, HALVES, ALONE, BRIDGE, RING, SHARDS, FLAPPING -> cuts(fault);
      case LOSS, DUPLICATION, DRIFT, STOP, OLD_STORE ->
          throw new IllegalStateException(fault + " has no moment");
    };
  }

  private boolean joins() {
    boolean room = population.alive().size() < MOST;
    if (room) {
      population.join();
    }
    return room;
  }

  private boolean leaves() {
    List<Station> steady = population.steady();
    // Whoever is cut off finds somebody of the majority again only if not all of that leave.
    if (population.healed() && !network.anyCut()) {
      leftAmidTrouble = false;
    }
    if (population.bearing(steady).size() <= FEWEST || leftAmidTrouble) {
      return false;
    }
    leftAmidTrouble = true;
    population.leave(any(steady));
    return true;
  }

  private boolean crashes(boolean again) {
    List<Station> ignorant = ignorant();
    if (!ignorant.isEmpty() && random.nextInt(3) == 0) {
      ignorant.forEach(victim -> kill(victim, again, false));
      return true;
    }
    List<Station> moving = new ArrayList<>(population.starting());
    moving.addAll(population.leaving());
    boolean aimAtMoving = !moving.isEmpty() && random.nextInt(3) == 0;
    List<Station> victims = aimAtMoving ? moving : population.steady();
    if (victims.isEmpty()
        || !(scenario.available()
            ? population.bearing(population.steady()).size() > FEWEST
            : mayLose())) {
      return false;
    }
    dead++;
    kill(any(victims), again);
    return true;
  }

  /**
   * Newcomers that know nothing yet: nobody may depend on them, so all may die at once, admitted or
   * not.
   */
  private List<Station> ignorant() {
    return population.starting().stream()
        .filter(station -> station.peer().insight().topologyNumber() == 0)
        .toList();
  }

  /** Whether one more may die. */
  private boolean mayLose() {
    long quiet = network.scheduler().nowNanos() - network.changedNanos();
    if (!network.anyCut()
        && (away == 0 || quiet > QUIET_NANOS)
        && population.alive().stream().noneMatch(station -> station.host().pausedNanos() > 0)
        && population.calm()
        && population.healed()) {
      dead = 0;
      away = 0;
    }
    // Others may die as well, but are no help where copies are concerned.
    int bearing = population.bearing(population.steady()).size();
    int members = bearing + dead;
    int lost = dead + away + 1;
    // Who has just come does not decide yet, and is no help when others die. Nor is who leaves: it
    // may be let go any moment, while those that are dead decide until they are found out.
    Set<UUID> going = population.going();
    int voters =
        population.steady().stream()
            .map(station -> station.peer().insight().voters())
            .filter(known -> !known.isEmpty())
            .mapToInt(known -> (int) known.stream().filter(id -> !going.contains(id)).count())
            .min()
            .orElse(members);
    return bearing > FEWEST
        && lost <= scenario.crashesSurvived()
        && lost * 2 < Math.min(voters, Math.min(members, VOTERS));
  }

  /** Kills a node now or between two messages it sends, and may start it again. */
  private void kill(Station victim, boolean again) {
    kill(victim, again, random.nextBoolean());
  }

  private void kill(Station victim, boolean again, boolean amidSending) {
    if (amidSending) {
      victim.become(Station.State.GONE);
      victim
          .transport()
          .after(
              random.nextInt(1, 12),
              () -> {
                if (victim.host().alive()) {
                  network.log().record(EventKind.CRASH_AMID_SENDING, victim.host(), () -> "");
                  population.kill(victim);
                }
              });
      network.scheduler().at(SENDING_WITHIN_NANOS, null, () -> population.kill(victim));
    } else {
      population.kill(victim);
    }
    if (again) {
      later(SENDING_WITHIN_NANOS + random.nextLong(LONGEST_RESTART_NANOS), () -> restarts(victim));
    }
  }

  private void restarts(Station victim) {
    if (halted) {
      later(RETRY_NANOS, () -> restarts(victim));
    } else {
      network.log().record(EventKind.RESTART, victim.host(), () -> "");
      population.join(victim.host().name());
    }
  }

  private boolean overloads() {
    List<Station> steady = new ArrayList<>(population.steady());
    if (steady.size() < FEWEST) {
      return false;
    }
    int most = steady.size() - 1;
    int victims = random.nextInt(1, most + 1);
    while (victims <= scenario.crashesSurvived() && victims * 2 < steady.size()) {
      victims++;
    }
    overloaded = true;
    network.log().record(EventKind.OVERLOAD, driver, victims, () -> "");
    for (; victims > 0; victims--) {
      Station victim = any(steady);
      steady.remove(victim);
      boolean again = random.nextBoolean();
      later(random.nextLong(OVERLOAD_WITHIN_NANOS), () -> kill(victim, again));
    }
    return true;
  }

  private boolean pauses(int count, long shortest, long longest) {
    List<Station> candidates = new ArrayList<>(population.alive());
    boolean anybody = !candidates.isEmpty();
    for (int left = count; left > 0 && !candidates.isEmpty(); left--) {
      Station pausing = any(candidates);
      candidates.remove(pausing);
      boolean brief = longest == SHORT_PAUSE_NANOS;
      long nanos = random.nextLong(shortest, longest);
      EventKind kind = brief ? EventKind.PAUSE : EventKind.LONG_PAUSE;
      network.log().record(kind, pausing.host(), nanos, () -> nanos / MILLISECOND + " ms");
      pausing.host().pause(nanos);
      if (!brief) {
        away++;
        network.views().reachChanged();
        later(nanos, network.views()::reachChanged);
      }
    }
    return anybody;
  }

  private boolean suspends() {
    List<Station> awake =
        population.alive().stream().filter(station -> station.host().pausedNanos() <= 0).toList();
    if (awake.isEmpty()) {
      return false;
    }
    Host machine = any(awake).host();
    long nanos = random.nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
    network.log().record(EventKind.SUSPENSION, machine, nanos, () -> nanos / MILLISECOND + " ms");
    machine.suspend(nanos);
    suspended.accept(nanos);
    if (nanos > SHORT_PAUSE_NANOS) {
      away++;
      network.views().reachChanged();
      later(nanos, network.views()::reachChanged);
    }
    return true;
  }

  private boolean suspects() {
    List<Station> steady = population.steady();
    if (steady.size() <= FEWEST) {
      return false;
    }
    away++;
    network.views().suspect(any(steady).transport());
    return true;
  }

  private boolean cuts(Fault fault) {
    List<Integer> places = places();
    Cut cut = cutting.begin(fault, places);
    away += cut == null ? 0 : cut.disturbs(places);
    return cut != null;
  }

  private Station any(List<Station> stations) {
    return stations.get(random.nextInt(stations.size()));
  }
}
