package io.cantle.simulation;

import io.cantle.simulation.SeedScenario.PlannedFault;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Injects the faults that a scenario plans. A crash is put off while it would exceed what the
 * system promises to survive: no more nodes may be dead or away at once than there are spare
 * replicas, and a majority must be present. A node counts as dead or away until every node reports
 * that all is settled. Only {@link SimulatedFault#OVERLOAD} ignores this limit.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class FaultInjector {
  private static final long MILLISECOND_NANOS = 1_000_000L;
  private static final int MIN_NODES = 2;

  /** A majority is counted of at most this many members, however many others there are. */
  private static final int MAX_VOTERS = 7;

  private static final int MAX_NODES = 9;
  private static final long MIN_PAUSE_NANOS = 20 * MILLISECOND_NANOS;

  /** Shorter than the time after which a silent member may be excluded. */
  private static final long SHORT_PAUSE_NANOS = 900 * MILLISECOND_NANOS;

  private static final long MAX_PAUSE_NANOS = 20_000 * MILLISECOND_NANOS;
  private static final long MAX_RESTART_NANOS = 2_000 * MILLISECOND_NANOS;
  private static final long MAX_DELAY_NANOS = 4_000 * MILLISECOND_NANOS;

  /** A copy of a store that is younger than this may not be recognized as a copy. */
  private static final long SHORTEST_AGE_NANOS = 2_000 * MILLISECOND_NANOS;

  private static final long LONGEST_AGE_NANOS = 9_000 * MILLISECOND_NANOS;
  private static final long RETRY_NANOS = 100 * MILLISECOND_NANOS;
  private static final long MAX_OVERLOAD_SPREAD_NANOS = 300 * MILLISECOND_NANOS;

  /**
   * A node that was away may be excluded a while after it has returned, by a decision in progress.
   */
  private static final long QUIET_NANOS = 6_000 * MILLISECOND_NANOS;

  private static final long MAX_SENDING_WAIT_NANOS = 50 * MILLISECOND_NANOS;

  private final SeedScenario scenario;
  private final SimulatedNetwork network;
  private final NodePopulation population;
  private final SimulatedHost driver;
  private final SplittableRandom random;
  private final PartitionFaults partitionFaults;
  private int dead;
  private int away;
  private boolean overloaded;
  private boolean calm;
  private boolean halted;
  private boolean leftAmidTrouble;
  private LongConsumer suspensionListener = nanos -> {};

  FaultInjector(
      SeedScenario scenario,
      SimulatedNetwork network,
      NodePopulation population,
      SimulatedHost driver,
      SplittableRandom random) {
    this.scenario = scenario;
    this.network = network;
    this.population = population;
    this.driver = driver;
    this.random = random;
    this.partitionFaults = new PartitionFaults(network, driver, random.split());
  }

  /** Sets a listener that is told how long a machine will be suspended from now on. */
  void setSuspensionListener(LongConsumer listener) {
    suspensionListener = listener;
  }

  /** Returns whether more was killed than the system promises to survive. */
  boolean isOverloaded() {
    return overloaded;
  }

  /** Cuts the starting nodes in two halves for a given time. */
  void cutApart(long nanos) {
    partitionFaults.beginCut(SimulatedFault.HALVES, places(), nanos);
  }

  private List<Integer> places() {
    return population.aliveNodes().stream().map(slot -> slot.transport().nodeIndex()).toList();
  }

  /** Schedules the planned faults of the scenario from now on. */
  void scheduleIncidents() {
    for (PlannedFault incident : scenario.plannedFaults()) {
      attemptFault(incident.fault(), incident.nanos(), MAX_DELAY_NANOS);
    }
    scenario.storeCopyTimes().forEach(nanos -> schedule(nanos, this::copyStore));
  }

  /** Copies the store of a node, and later restarts the node with that old copy. */
  private void copyStore() {
    List<NodeSlot> steady = population.steadyNodes();
    NodeSlot victim = steady.isEmpty() ? null : pickOne(steady);
    SimulatedNodeStore copy = victim == null ? null : population.copyOfDisk(victim.host().name());
    if (victim != null && copy != null) {
      long age = random.nextLong(SHORTEST_AGE_NANOS, LONGEST_AGE_NANOS);
      schedule(age, () -> putStoreBack(victim, copy, MAX_DELAY_NANOS));
    }
  }

  private void putStoreBack(NodeSlot victim, SimulatedNodeStore copy, long patienceNanos) {
    boolean isUsed = victim.state() == NodeSlot.State.STEADY && victim.host().isAlive();
    if (halted || !isUsed || !canLoseNode()) {
      if (patienceNanos > 0) {
        schedule(RETRY_NANOS, () -> putStoreBack(victim, copy, patienceNanos - RETRY_NANOS));
      }
      return;
    }
    dead++;
    network.log().record(EventKind.OLD_STORE, victim.host(), () -> "");
    String name = victim.host().name();
    population.kill(victim);
    population.putBack(name, copy);
    schedule(random.nextLong(MAX_RESTART_NANOS), () -> restart(victim));
  }

  /**
   * Suspends new faults while all nodes are down, and until they have restarted. Afterwards no node
   * may be killed before all is settled: some served before others had returned, with fewer owners.
   */
  void setHalted(boolean value) {
    halted = value;
    dead = scenario.survivableCrashes();
    away = 0;
  }

  /** Ends all faults: links are open, paused nodes go on, and dead nodes stay dead. */
  void endFaults() {
    calm = true;
    population.aliveNodes().forEach(slot -> slot.host().resume());
    network.endDisturbances();
    if (overloaded) {
      population.abandonAll();
    }
  }

  /** Tries to inject a fault after a delay, and retries until the patience is used up. */
  private void attemptFault(SimulatedFault fault, long delayNanos, long patienceNanos) {
    schedule(
        delayNanos,
        () -> {
          if ((halted || !inject(fault)) && patienceNanos > 0) {
            attemptFault(fault, RETRY_NANOS, patienceNanos - RETRY_NANOS);
          }
        });
  }

  /** Runs an action on a thread of the driver, unless faults have ended by then. */
  private void schedule(long delayNanos, Runnable action) {
    Runnable unlessCalm =
        () -> {
          if (!calm) {
            action.run();
          }
        };
    network.scheduler().schedule(delayNanos, driver, () -> driver.start(Role.CLIENT, unlessCalm));
  }

  private boolean inject(SimulatedFault fault) {
    return switch (fault) {
      case JOIN -> injectJoin();
      case LEAVE -> injectLeave();
      case CRASH -> injectCrash(false);
      case RESTART -> injectCrash(true);
      case OVERLOAD -> injectOverload();
      case PAUSE -> injectPauses(1, MIN_PAUSE_NANOS, SHORT_PAUSE_NANOS);
      case LONG_PAUSE -> injectPauses(random.nextInt(1, 3), SHORT_PAUSE_NANOS, MAX_PAUSE_NANOS);
      case SUSPENSION -> injectSuspension();
      case SUSPICION -> injectSuspicion();
      case ONE_WAY, HALVES, ALONE, BRIDGE, RING, SHARDS, FLAPPING -> injectCut(fault);
      case LOSS, DUPLICATION, DRIFT, STOP, OLD_STORE ->
          throw new IllegalStateException(fault + " does not happen at a moment");
    };
  }

  private boolean injectJoin() {
    boolean room = population.aliveNodes().size() < MAX_NODES;
    if (room) {
      population.join();
    }
    return room;
  }

  private boolean injectLeave() {
    List<NodeSlot> steady = population.steadyNodes();
    // A node that is cut off finds a member of the majority again only if not all of that leave.
    if (population.isHealed() && !network.isAnyLinkCut()) {
      leftAmidTrouble = false;
    }
    if (population.nodesWithCapacity(steady).size() <= MIN_NODES || leftAmidTrouble) {
      return false;
    }
    leftAmidTrouble = true;
    population.leave(pickOne(steady));
    return true;
  }

  private boolean injectCrash(boolean again) {
    List<NodeSlot> ignorant = uninformedNodes();
    if (!ignorant.isEmpty() && random.nextInt(3) == 0) {
      ignorant.forEach(victim -> kill(victim, again, false));
      return true;
    }
    List<NodeSlot> moving = new ArrayList<>(population.startingNodes());
    moving.addAll(population.leavingNodes());
    boolean aimAtMoving = !moving.isEmpty() && random.nextInt(3) == 0;
    List<NodeSlot> victims = aimAtMoving ? moving : population.steadyNodes();
    if (victims.isEmpty()
        || !(scenario.isAvailable()
            ? population.nodesWithCapacity(population.steadyNodes()).size() > MIN_NODES
            : canLoseNode())) {
      return false;
    }
    dead++;
    kill(pickOne(victims), again);
    return true;
  }

  /**
   * Returns the joiners that have no topology yet. Nobody depends on them, so all of them may be
   * killed at once, admitted or not.
   */
  private List<NodeSlot> uninformedNodes() {
    return population.startingNodes().stream()
        .filter(slot -> slot.node().insight().topologyNumber() == 0)
        .toList();
  }

  /** Returns whether one more node may be killed. */
  private boolean canLoseNode() {
    long quiet = network.scheduler().nowNanos() - network.changedNanos();
    if (!network.isAnyLinkCut()
        && (away == 0 || quiet > QUIET_NANOS)
        && population.aliveNodes().stream().noneMatch(slot -> slot.host().pausedNanos() > 0)
        && population.isCalm()
        && population.isHealed()) {
      dead = 0;
      away = 0;
    }
    // The others may be killed as well, but they hold no replicas that could help.
    int bearing = population.nodesWithCapacity(population.steadyNodes()).size();
    int members = bearing + dead;
    int lost = dead + away + 1;
    // A node that has just joined is no voter yet, and does not help when others die. A node that
    // leaves does not help either: it may be released at any moment, while the dead remain voters
    // until they are excluded.
    Set<UUID> going = population.departingNodes();
    int voters =
        population.steadyNodes().stream()
            .map(slot -> slot.node().insight().voters())
            .filter(known -> !known.isEmpty())
            .mapToInt(known -> (int) known.stream().filter(id -> !going.contains(id)).count())
            .min()
            .orElse(members);
    return bearing > MIN_NODES
        && lost <= scenario.survivableCrashes()
        && lost * 2 < Math.min(voters, Math.min(members, MAX_VOTERS));
  }

  /** Kills a node, now or between two messages it sends, and restarts it if {@code again}. */
  private void kill(NodeSlot victim, boolean again) {
    kill(victim, again, random.nextBoolean());
  }

  private void kill(NodeSlot victim, boolean again, boolean amidSending) {
    if (amidSending) {
      victim.setState(NodeSlot.State.GONE);
      victim
          .transport()
          .runAfterSends(
              random.nextInt(1, 12),
              () -> {
                if (victim.host().isAlive()) {
                  network.log().record(EventKind.CRASH_AMID_SENDING, victim.host(), () -> "");
                  population.kill(victim);
                }
              });
      network.scheduler().schedule(MAX_SENDING_WAIT_NANOS, null, () -> population.kill(victim));
    } else {
      population.kill(victim);
    }
    if (again) {
      schedule(MAX_SENDING_WAIT_NANOS + random.nextLong(MAX_RESTART_NANOS), () -> restart(victim));
    }
  }

  private void restart(NodeSlot victim) {
    if (halted) {
      schedule(RETRY_NANOS, () -> restart(victim));
    } else {
      network.log().record(EventKind.RESTART, victim.host(), () -> "");
      population.join(victim.host().name());
    }
  }

  private boolean injectOverload() {
    List<NodeSlot> steady = new ArrayList<>(population.steadyNodes());
    if (steady.size() < MIN_NODES) {
      return false;
    }
    int most = steady.size() - 1;
    int victims = random.nextInt(1, most + 1);
    while (victims <= scenario.survivableCrashes() && victims * 2 < steady.size()) {
      victims++;
    }
    overloaded = true;
    network.log().record(EventKind.OVERLOAD, driver, victims, () -> "");
    for (; victims > 0; victims--) {
      NodeSlot victim = pickOne(steady);
      steady.remove(victim);
      boolean again = random.nextBoolean();
      schedule(random.nextLong(MAX_OVERLOAD_SPREAD_NANOS), () -> kill(victim, again));
    }
    return true;
  }

  private boolean injectPauses(int count, long shortest, long longest) {
    List<NodeSlot> candidates = new ArrayList<>(population.aliveNodes());
    boolean anybody = !candidates.isEmpty();
    for (int left = count; left > 0 && !candidates.isEmpty(); left--) {
      NodeSlot pausing = pickOne(candidates);
      candidates.remove(pausing);
      boolean brief = longest == SHORT_PAUSE_NANOS;
      long nanos = random.nextLong(shortest, longest);
      EventKind kind = brief ? EventKind.PAUSE : EventKind.LONG_PAUSE;
      network.log().record(kind, pausing.host(), nanos, () -> nanos / MILLISECOND_NANOS + " ms");
      pausing.host().pause(nanos);
      if (!brief) {
        away++;
        network.views().onReachChange();
        schedule(nanos, network.views()::onReachChange);
      }
    }
    return anybody;
  }

  private boolean injectSuspension() {
    List<NodeSlot> awake =
        population.aliveNodes().stream().filter(slot -> slot.host().pausedNanos() <= 0).toList();
    if (awake.isEmpty()) {
      return false;
    }
    SimulatedHost machine = pickOne(awake).host();
    long nanos = random.nextLong(MIN_PAUSE_NANOS, MAX_PAUSE_NANOS);
    network
        .log()
        .record(EventKind.SUSPENSION, machine, nanos, () -> nanos / MILLISECOND_NANOS + " ms");
    machine.suspend(nanos);
    suspensionListener.accept(nanos);
    if (nanos > SHORT_PAUSE_NANOS) {
      away++;
      network.views().onReachChange();
      schedule(nanos, network.views()::onReachChange);
    }
    return true;
  }

  private boolean injectSuspicion() {
    List<NodeSlot> steady = population.steadyNodes();
    if (steady.size() <= MIN_NODES) {
      return false;
    }
    away++;
    network.views().injectSuspicion(pickOne(steady).transport());
    return true;
  }

  private boolean injectCut(SimulatedFault fault) {
    List<Integer> places = places();
    NetworkCut cut = partitionFaults.beginCut(fault, places);
    away += cut == null ? 0 : cut.disturbs(places);
    return cut != null;
  }

  private NodeSlot pickOne(List<NodeSlot> stations) {
    return stations.get(random.nextInt(stations.size()));
  }
}
