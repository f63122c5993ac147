package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.simulation.Scenario.Change;
import io.cantle.simulation.Scenario.Fault;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.Station.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The nodes of a run, and what happens to them. A fault is put off while it would ask more of the
 * system than it promises: a majority of the members stays alive, no more nodes are dead at once
 * than there are spare copies, two nodes stay.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Population {
  private static final int FEWEST = 2;
  private static final int MOST = 9;
  private static final long SHORTEST_PAUSE_NANOS = 20_000_000L;

  /** The longest time a node stands still. */
  static final long LONGEST_PAUSE_NANOS = 1_500_000_000L;

  private static final long LONGEST_DELAY_NANOS = 4_000_000_000L;

  private final Scenario scenario;
  private final Network network;
  private final Peer.Starter starter;
  private final SplittableRandom random;
  private final Consumer<Station> arrived;
  private final List<Station> stations = new ArrayList<>();
  private final List<Fault> pending;
  private final Set<Change> happened = EnumSet.noneOf(Change.class);
  private int unhealed;

  /**
   * @param arrived told of each node that has joined
   */
  Population(
      Scenario scenario,
      Network network,
      Peer.Starter starter,
      SplittableRandom random,
      Consumer<Station> arrived) {
    this.scenario = scenario;
    this.network = network;
    this.starter = starter;
    this.random = random;
    this.arrived = arrived;
    this.pending = new ArrayList<>(scenario.faults());
  }

  /** Every node there ever was. */
  List<Station> stations() {
    return stations;
  }

  /** The nodes that are members. */
  List<Station> steady() {
    return in(State.STEADY);
  }

  /** Whether nothing is going on and nothing is to come. */
  boolean calm() {
    return pending.isEmpty() && in(State.STARTING).isEmpty() && in(State.LEAVING).isEmpty();
  }

  /** Whether nobody is left. */
  boolean empty() {
    return alive() == 0;
  }

  /** Whether every node knows who is there and says that no segment lacks an owner. */
  boolean healed() {
    Set<String> present =
        steady().stream().map(station -> station.host().name()).collect(Collectors.toSet());
    return network.settled()
        && steady().stream().allMatch(station -> station.peer().settled(present));
  }

  /** Adds a node, which joins on a thread of its own. */
  void join() {
    String name = "n" + (stations.size() + 1);
    Host host = new Host(network.scheduler(), stations.size() + 1, name, random.split());
    SimulatedTransport transport = network.attach(host);
    Station station = new Station(host, transport, starter.peer(scenario, host, transport));
    stations.add(station);
    host.start(
        Role.CLIENT,
        () -> {
          try {
            station.peer().start();
            station.become(State.STEADY);
            network.log().record(EventKind.JOIN, host, () -> "");
            arrived.accept(station);
          } catch (GridException e) {
            // Nobody may answer while a crash is not noticed yet: the operator tries again.
            network.log().record(EventKind.FAILURE, host, e::toString);
            station.become(State.GONE);
            host.kill();
            join();
          }
        });
  }

  /** Lets happen what is due and may happen. */
  void advance(long elapsedNanos) {
    if (unhealed > 0 && in(State.STARTING).isEmpty() && in(State.LEAVING).isEmpty() && healed()) {
      unhealed = 0;
    }
    for (Fault fault : List.copyOf(pending)) {
      if (fault.nanos() <= elapsedNanos && happens(fault.change())) {
        pending.remove(fault);
        happened.add(fault.change());
      } else if (fault.nanos() + LONGEST_DELAY_NANOS <= elapsedNanos) {
        giveUp(fault);
      }
    }
  }

  /** One of each kind must happen, if need be after another join; further ones need not. */
  private void giveUp(Fault fault) {
    if (happened.contains(fault.change())) {
      pending.remove(fault);
    } else if (in(State.STARTING).isEmpty()) {
      joins();
    }
  }

  private boolean happens(Change change) {
    return switch (change) {
      case JOIN -> joins();
      case LEAVE -> leaves();
      case CRASH -> crashes();
      case PAUSE -> pauses();
    };
  }

  private boolean joins() {
    if (alive() < MOST) {
      join();
      return true;
    }
    return false;
  }

  private boolean leaves() {
    List<Station> steady = steady();
    if (steady.size() <= FEWEST) {
      return false;
    }
    leave(steady.get(random.nextInt(steady.size())));
    return true;
  }

  private void leave(Station leaver) {
    leaver.become(State.LEAVING);
    leaver
        .host()
        .start(
            Role.CLIENT,
            () -> {
              leaver.peer().close();
              leaver.become(State.GONE);
              network.log().record(EventKind.LEAVE, leaver.host(), () -> "");
              leaver.host().kill();
            });
  }

  private boolean crashes() {
    List<Station> steady = steady();
    List<Station> moving = new ArrayList<>(in(State.STARTING));
    moving.addAll(in(State.LEAVING));
    boolean aimAtMoving = !moving.isEmpty() && random.nextInt(3) == 0;
    List<Station> victims = aimAtMoving ? moving : steady;
    int left = aimAtMoving ? steady.size() : steady.size() - 1;
    if (unhealed >= scenario.crashesSurvived() || left < FEWEST || left * 2 <= alive() + unhealed) {
      return false;
    }
    Station victim = victims.get(random.nextInt(victims.size()));
    unhealed++;
    if (!moving.isEmpty() || !network.settled()) {
      network.log().record(EventKind.CRASH_AMID_CHANGE, victim.host(), victim::toString);
    }
    network.log().record(EventKind.CRASH, victim.host(), () -> "");
    victim.become(State.GONE);
    network.crash(victim.transport());
    return true;
  }

  private boolean pauses() {
    List<Station> steady = steady();
    Station pausing = steady.get(random.nextInt(steady.size()));
    long nanos = random.nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
    network.log().record(EventKind.PAUSE, pausing.host(), nanos, () -> nanos / 1_000_000 + " ms");
    pausing.host().pause(nanos);
    return true;
  }

  /** Closes every node, each when it pleases within a second. */
  void closeAll() {
    for (Station station : steady()) {
      network.scheduler().at(random.nextLong(1_000_000_000L), station.host(), () -> leave(station));
    }
  }

  private int alive() {
    return stations.size() - in(State.GONE).size();
  }

  private List<Station> in(State state) {
    return stations.stream().filter(station -> station.state() == state).toList();
  }
}
