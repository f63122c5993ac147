package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * The hosts of a stage on which nothing is left to chance: their ids have the order in which nodes
 * were started, and a node that starts again finds its disk.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ExactHosts {
  private final SimulatedNetwork network;
  private final Map<String, SimulatedNodeStore> disks = new HashMap<>();

  ExactHosts(SimulatedNetwork network) {
    this.network = network;
  }

  /** Makes a host exact, and attaches a transport and perhaps a disk. */
  SimulatedTransport attachTransport(SimulatedHost host, boolean hasDisk) {
    host.makeExact();
    UUID id = new UUID(host.number(), host.number());
    if (!hasDisk) {
      return network.attachMember(host, new Member(id, host.name()));
    }
    UUID nodeId = new UUID(0, host.number());
    SimulatedNodeStore disk =
        disks.computeIfAbsent(
            host.name(), name -> new SimulatedNodeStore(network.scheduler(), nodeId));
    disk.makeExact();
    host.mountStore(disk.mount(host, new SplittableRandom(host.number())));
    return network.attachMember(host, new Member(id, disk.node(), host.name()));
  }
}
