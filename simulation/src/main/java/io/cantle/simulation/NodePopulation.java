package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.core.node.StoreRefusedException;
import io.cantle.simulation.NodeSlot.State;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.Comparator;
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
 * The nodes of a run, and how they start and stop.
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
   * @param arrivalListener is told of each node that has joined
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

  /**
   * Sets a listener that is told of each node at its last moment, whether it is killed or released.
   */
  void setDepartureListener(Consumer<NodeSlot> listener) {
    departureListener = listener;
  }

  /** Returns every node there ever was. */
  List<NodeSlot> nodeSlots() {
    return nodeSlots;
  }

  /** Returns the nodes that are members, as far as they were told. */
  List<NodeSlot> steadyNodes() {
    return nodesIn(State.STEADY);
  }

  /** Returns those of the candidates that may own entries. */
  List<NodeSlot> nodesWithCapacity(List<NodeSlot> candidates) {
    return candidates.stream()
        .filter(slot -> scenario.capacityOf(slot.host().name()).holdsEntries())
        .toList();
  }

  /** Returns the nodes that are not admitted yet. */
  List<NodeSlot> startingNodes() {
    return nodesIn(State.STARTING);
  }

  /** Returns the nodes that are closing. */
  List<NodeSlot> leavingNodes() {
    return nodesIn(State.LEAVING);
  }

  /** Returns the nodes that have left without being killed, or are about to. */
  Set<UUID> departingNodes() {
    return nodeSlots.stream()
        .filter(slot -> slot.isClosed() || slot.state() == State.LEAVING)
        .map(slot -> slot.transport().member().id())
        .collect(Collectors.toSet());
  }

  /** Returns the running nodes. */
  List<NodeSlot> aliveNodes() {
    return nodeSlots.stream().filter(slot -> slot.state() != State.GONE).toList();
  }

  /** Returns the running nodes, to be inspected. */
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

  /** Returns whether no node is starting or leaving. */
  boolean isCalm() {
    return startingNodes().isEmpty() && leavingNodes().isEmpty();
  }

  /**
   * Returns whether every node knows the present members and reports that no segment lacks an
   * owner.
   */
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

  /** Returns the segments that the newest topology of a running node has unsteady, as text. */
  List<String> unsteadySegments() {
    return inspectedNodes().stream()
        .map(InvariantChecker.InspectedNode::insight)
        .max(Comparator.comparingLong(NodeInspection::topologyNumber))
        .map(NodeInspection::unsteadySegments)
        .orElse(List.of());
  }

  /** Starts a node under a name that an earlier one may have had. */
  void join(String name) {
    SplittableRandom own = random.split();
    int drift =
        scenario.mix().contains(SimulatedFault.DRIFT)
            ? random.nextInt(-MAX_DRIFT_PPM, MAX_DRIFT_PPM + 1)
            : 0;
    SimulatedHost host =
        new SimulatedHost(
            network.scheduler(),
            nodeSlots.size() + 1,
            name,
            own,
            drift,
            scenario.heapBytes(),
            scenario.newHeapGuard(name, network.scheduler()::nowNanos));
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

  /** From now on makes all disk writes fast. */
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

  /** Returns a copy of what is on the disk of a node now, or null if it has no disk. */
  @Nullable SimulatedNodeStore copyOfDisk(String name) {
    SimulatedNodeStore disk = stores.get(name);
    return disk == null ? null : disk.copy();
  }

  /** Replaces a node's disk, which no process may be using, with a copy. */
  void putBack(String name, SimulatedNodeStore copy) {
    stores.put(name, copy);
  }

  /**
   * Restarts a node that was not admitted, as an operator would: no node may answer while it does
   * not hear the others.
   */
  private void restart(NodeSlot slot, GridException cause) {
    if (cause instanceof StoreRefusedException) {
      // As a node does by itself: it joins as a new node.
      stores.remove(slot.host().name());
    }
    network.log().record(EventKind.FAILURE, slot.host(), cause::toString);
    slot.setState(State.GONE);
    slot.host().kill();
    if (!abandoned) {
      join(slot.host().name());
    }
  }

  /** From now on no node tries to join again. */
  void abandonAll() {
    abandoned = true;
  }

  /** Makes a node close its grid. */
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

  /** Closes every node, each at a random time within a second. */
  void closeAll() {
    for (NodeSlot slot : steadyNodes()) {
      network.scheduler().schedule(random.nextLong(1_000_000_000L), slot.host(), () -> leave(slot));
    }
  }

  private List<NodeSlot> nodesIn(State state) {
    return nodeSlots.stream().filter(slot -> slot.state() == state).toList();
  }
}
