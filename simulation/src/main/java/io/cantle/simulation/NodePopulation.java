package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.core.node.StoreRefusedException;
import io.cantle.simulation.NodeSlot.State;
import io.cantle.simulation.SimulatedThread.Role;
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
final class NodePopulation {
  private static final int MAX_DRIFT_PPM = 5_000;

  private final SeedScenario scenario;
  private final SimulatedNetwork network;
  private final NodeUnderTest.NodeStarter starter;
  private final SplittableRandom random;
  private final Consumer<NodeSlot> arrivalListener;
  private final List<NodeSlot> nodeSlots = new ArrayList<>();
  private final Map<String, SimulatedNodeStore> stores = new HashMap<>();
  private Consumer<NodeSlot> departureListener = slot -> {};
  private int names;
  private boolean abandoned;

  /**
   * @param arrivalListener told of each node that has joined
   */
  NodePopulation(
      SeedScenario scenario,
      SimulatedNetwork network,
      NodeUnderTest.NodeStarter starter,
      SplittableRandom random,
      Consumer<NodeSlot> arrivalListener) {
    this.scenario = scenario;
    this.network = network;
    this.starter = starter;
    this.random = random;
    this.arrivalListener = arrivalListener;
  }

  /** Has somebody told of each node whose last moment it is, be it killed or be it let go. */
  void setDepartureListener(Consumer<NodeSlot> listener) {
    departureListener = listener;
  }

  /** Every node there ever was. */
  List<NodeSlot> nodeSlots() {
    return nodeSlots;
  }

  /** The nodes that are members, as far as they were told. */
  List<NodeSlot> steadyNodes() {
    return nodesIn(State.STEADY);
  }

  /** Those of some nodes that may own entries. */
  List<NodeSlot> nodesWithCapacity(List<NodeSlot> candidates) {
    return candidates.stream()
        .filter(slot -> scenario.capacityOf(slot.host().name()).holdsEntries())
        .toList();
  }

  /** The nodes that are not let in yet. */
  List<NodeSlot> startingNodes() {
    return nodesIn(State.STARTING);
  }

  /** The nodes that are closing. */
  List<NodeSlot> leavingNodes() {
    return nodesIn(State.LEAVING);
  }

  /** Those that have left, and were not killed, or are about to. */
  Set<UUID> departingNodes() {
    return nodeSlots.stream()
        .filter(slot -> slot.isClosed() || slot.state() == State.LEAVING)
        .map(slot -> slot.transport().member().id())
        .collect(Collectors.toSet());
  }

  /** The nodes that run. */
  List<NodeSlot> aliveNodes() {
    return nodeSlots.stream().filter(slot -> slot.state() != State.GONE).toList();
  }

  /** What runs, to be looked into. */
  List<InvariantChecker.InspectedNode> inspectedNodes() {
    List<InvariantChecker.InspectedNode> nodes = new ArrayList<>();
    for (NodeSlot slot : nodeSlots) {
      if (slot.host().isAlive()) {
        nodes.add(
            new InvariantChecker.InspectedNode(
                slot.transport().member().id(),
                slot.host().name(),
                scenario.capacityOf(slot.host().name()),
                slot.node().insight()));
      }
    }
    return nodes;
  }

  /** Whether nobody is coming or going. */
  boolean isCalm() {
    return startingNodes().isEmpty() && leavingNodes().isEmpty();
  }

  /** Whether every node knows who is there and says that no segment lacks an owner. */
  boolean isHealed() {
    List<NodeSlot> steady = steadyNodes();
    List<String> present = steady.stream().map(slot -> slot.host().name()).sorted().toList();
    return network.views().isSettled()
        && steady.stream().allMatch(slot -> slot.node().isSettled(present));
  }

  /** Adds a node, which joins on a thread of its own. */
  void join() {
    join("n" + ++names);
  }

  /** Starts a node under a name another one may have had. */
  void join(String name) {
    SplittableRandom own = random.split();
    int drift =
        scenario.mix().contains(SimulatedFault.DRIFT)
            ? random.nextInt(-MAX_DRIFT_PPM, MAX_DRIFT_PPM + 1)
            : 0;
    SimulatedHost host =
        new SimulatedHost(
            network.scheduler(), nodeSlots.size() + 1, name, own, drift, scenario.heapBytes());
    if (scenario.hasLifetimes()) {
      host.jumpWallClock();
    }
    host.setSuspension(scenario.suspension());
    if (drift != 0) {
      network.log().record(EventKind.DRIFT, host, drift, () -> drift + " millionths");
    }
    SimulatedNodeStore disk = scenario.isDurable() ? storeOf(name) : null;
    if (disk != null) {
      host.mountStore(disk.mount(host, own.split()));
    }
    SimulatedTransport transport = network.attachTransport(host, disk == null ? null : disk.node());
    NodeSlot slot = new NodeSlot(host, transport, starter.start(scenario, host, transport));
    nodeSlots.add(slot);
    host.start(
        Role.CLIENT,
        () -> {
          try {
            slot.node().start();
            if (host.isAlive()) {
              slot.setState(State.STEADY);
              network.log().record(EventKind.JOIN, host, () -> "");
              arrivalListener.accept(slot);
            }
          } catch (GridException e) {
            restart(slot, e);
          }
        });
  }

  /** From now on no disk takes long. */
  void makeStoresFast() {
    stores.values().forEach(SimulatedNodeStore::makeFast);
  }

  private SimulatedNodeStore storeOf(String name) {
    return stores.computeIfAbsent(
        name,
        same ->
            new SimulatedNodeStore(
                network.scheduler(), new UUID(random.nextLong(), random.nextLong())));
  }

  /** What is on the disk of a node now; null if it has none. */
  @Nullable SimulatedNodeStore copyOfDisk(String name) {
    SimulatedNodeStore disk = stores.get(name);
    return disk == null ? null : disk.copy();
  }

  /** Puts a copy in the place of a node's disk, which is in use by nobody. */
  void putBack(String name, SimulatedNodeStore copy) {
    stores.put(name, copy);
  }

  /** Nobody may answer while the others are not heard: the operator tries again. */
  private void restart(NodeSlot slot, GridException cause) {
    if (cause instanceof StoreRefusedException) {
      // As a node does by itself: it comes as a new one.
      stores.remove(slot.host().name());
    }
    network.log().record(EventKind.FAILURE, slot.host(), cause::toString);
    slot.setState(State.GONE);
    slot.host().kill();
    if (!abandoned) {
      join(slot.host().name());
    }
  }

  /** From now on nobody tries to join again. */
  void abandonAll() {
    abandoned = true;
  }

  /** Has a node close its grid. */
  void leave(NodeSlot leaver) {
    leaver.setState(State.LEAVING);
    leaver
        .host()
        .start(
            Role.CLIENT,
            () -> {
              leaver.node().close();
              leaver.hasLeft();
              network.log().record(EventKind.LEAVE, leaver.host(), () -> "");
              departureListener.accept(leaver);
              leaver.host().kill();
            });
  }

  /** Kills a node now. */
  void kill(NodeSlot victim) {
    if (victim.host().isAlive()) {
      victim.setState(State.GONE);
      if (!isCalm() || !network.views().isSettled()) {
        network.log().record(EventKind.CRASH_AMID_CHANGE, victim.host(), victim::toString);
      }
      network.log().record(EventKind.CRASH, victim.host(), () -> "");
      departureListener.accept(victim);
      network.crash(victim.transport());
    }
  }

  /** Closes every node, each when it pleases within a second. */
  void closeAll() {
    for (NodeSlot slot : steadyNodes()) {
      network.scheduler().schedule(random.nextLong(1_000_000_000L), slot.host(), () -> leave(slot));
    }
  }

  private List<NodeSlot> nodesIn(State state) {
    return nodeSlots.stream().filter(slot -> slot.state() == state).toList();
  }
}
