package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.core.node.StoreRefusedException;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.Station.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a run: how they come and go.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Population {
  private static final int MOST_DRIFT = 5_000;

  private final Scenario scenario;
  private final Network network;
  private final Peer.Starter starter;
  private final SplittableRandom random;
  private final Consumer<Station> arrived;
  private final List<Station> stations = new ArrayList<>();
  private final Map<String, Disk> disks = new HashMap<>();
  private Consumer<Station> gone = station -> {};
  private int names;
  private boolean abandoned;

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
  }

  /** Has somebody told of each node whose last moment it is, be it killed or be it let go. */
  void whenGone(Consumer<Station> told) {
    gone = told;
  }

  /** Every node there ever was. */
  List<Station> stations() {
    return stations;
  }

  /** The nodes that are members, as far as they were told. */
  List<Station> steady() {
    return in(State.STEADY);
  }

  /** Those of some nodes that may own entries. */
  List<Station> bearing(List<Station> some) {
    return some.stream()
        .filter(station -> scenario.seat(station.host().name()).holdsEntries())
        .toList();
  }

  /** The nodes that are not let in yet. */
  List<Station> starting() {
    return in(State.STARTING);
  }

  /** The nodes that are closing. */
  List<Station> leaving() {
    return in(State.LEAVING);
  }

  /** Those that have left, and were not killed, or are about to. */
  Set<UUID> going() {
    return stations.stream()
        .filter(station -> station.closed() || station.state() == State.LEAVING)
        .map(station -> station.transport().member().id())
        .collect(Collectors.toSet());
  }

  /** The nodes that run. */
  List<Station> alive() {
    return stations.stream().filter(station -> station.state() != State.GONE).toList();
  }

  /** What runs, to be looked into. */
  List<Invariants.Node> nodes() {
    List<Invariants.Node> nodes = new ArrayList<>();
    for (Station station : stations) {
      if (station.host().alive()) {
        nodes.add(
            new Invariants.Node(
                station.transport().member().id(),
                station.host().name(),
                scenario.seat(station.host().name()),
                station.peer().insight()));
      }
    }
    return nodes;
  }

  /** Whether nobody is coming or going. */
  boolean calm() {
    return starting().isEmpty() && leaving().isEmpty();
  }

  /** Whether every node knows who is there and says that no segment lacks an owner. */
  boolean healed() {
    List<Station> steady = steady();
    List<String> present = steady.stream().map(station -> station.host().name()).sorted().toList();
    return network.views().settled()
        && steady.stream().allMatch(station -> station.peer().settled(present));
  }

  /** Adds a node, which joins on a thread of its own. */
  void join() {
    join("n" + ++names);
  }

  /** Starts a node under a name another one may have had. */
  void join(String name) {
    SplittableRandom own = random.split();
    int drift =
        scenario.mix().contains(Fault.DRIFT) ? random.nextInt(-MOST_DRIFT, MOST_DRIFT + 1) : 0;
    Host host =
        new Host(network.scheduler(), stations.size() + 1, name, own, drift, scenario.heapBytes());
    if (scenario.lasts()) {
      host.jumpByHours();
    }
    host.suspendable(scenario.suspension());
    if (drift != 0) {
      network.log().record(EventKind.DRIFT, host, drift, () -> drift + " millionths");
    }
    Disk disk = scenario.durable() ? disk(name) : null;
    if (disk != null) {
      host.mounted(disk.mount(host, own.split()));
    }
    SimulatedTransport transport = network.attach(host, disk == null ? null : disk.node());
    Station station = new Station(host, transport, starter.peer(scenario, host, transport));
    stations.add(station);
    host.start(
        Role.CLIENT,
        () -> {
          try {
            station.peer().start();
            if (host.alive()) {
              station.become(State.STEADY);
              network.log().record(EventKind.JOIN, host, () -> "");
              arrived.accept(station);
            }
          } catch (GridException e) {
            again(station, e);
          }
        });
  }

  /** From now on no disk takes long. */
  void quickenDisks() {
    disks.values().forEach(Disk::quicken);
  }

  private Disk disk(String name) {
    return disks.computeIfAbsent(
        name,
        same -> new Disk(network.scheduler(), new UUID(random.nextLong(), random.nextLong())));
  }

  /** What is on the disk of a node now; null if it has none. */
  @Nullable Disk copyOfDisk(String name) {
    Disk disk = disks.get(name);
    return disk == null ? null : disk.copy();
  }

  /** Puts a copy in the place of a node's disk, which is in use by nobody. */
  void putBack(String name, Disk copy) {
    disks.put(name, copy);
  }

  /** Nobody may answer while the others are not heard: the operator tries again. */
  private void again(Station station, GridException why) {
    if (why instanceof StoreRefusedException) {
      // As a node does by itself: it comes as a new one.
      disks.remove(station.host().name());
    }
    network.log().record(EventKind.FAILURE, station.host(), why::toString);
    station.become(State.GONE);
    station.host().kill();
    if (!abandoned) {
      join(station.host().name());
    }
  }

  /** From now on nobody tries to join again. */
  void abandon() {
    abandoned = true;
  }

  /** Has a node close its grid. */
  void leave(Station leaver) {
    leaver.become(State.LEAVING);
    leaver
        .host()
        .start(
            Role.CLIENT,
            () -> {
              leaver.peer().close();
              leaver.left();
              network.log().record(EventKind.LEAVE, leaver.host(), () -> "");
              gone.accept(leaver);
              leaver.host().kill();
            });
  }

  /** Kills a node now. */
  void kill(Station victim) {
    if (victim.host().alive()) {
      victim.become(State.GONE);
      if (!calm() || !network.views().settled()) {
        network.log().record(EventKind.CRASH_AMID_CHANGE, victim.host(), victim::toString);
      }
      network.log().record(EventKind.CRASH, victim.host(), () -> "");
      gone.accept(victim);
      network.crash(victim.transport());
    }
  }

  /** Closes every node, each when it pleases within a second. */
  void closeAll() {
    for (Station station : steady()) {
      network.scheduler().at(random.nextLong(1_000_000_000L), station.host(), () -> leave(station));
    }
  }

  private List<Station> in(State state) {
    return stations.stream().filter(station -> station.state() == state).toList();
  }
}
