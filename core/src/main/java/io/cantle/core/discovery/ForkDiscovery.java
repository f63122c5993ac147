package io.cantle.core.discovery;

import io.cantle.core.discovery.DiscoveryEffect.SendDiscoveryMessage;
import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.ForkPrecedence;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * How sides of a partition find to one another: the seam of discovery to available mode. A
 * consistent grid has no related one to meet, and a node that was in one goes on as a new node.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
final class ForkDiscovery {
  /** How long a node that gave its side up looks for the grid it was given up for. */
  private static final long REJOIN_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Member self;
  private Topology formerTopology = Topology.NONE;
  private long formerEndedNanos;

  ForkDiscovery(Member self) {
    this.self = self;
  }

  /** Records that this node's grid has ended. */
  void onGridGivenUp(Topology last, long now) {
    formerTopology = last;
    formerEndedNanos = now;
  }

  /** The last topology of the grid that this node gave up last; NONE if it gave none up. */
  Topology formerTopology() {
    return formerTopology;
  }

  /** Whether this node was in an available grid last, and may go on as a fork of it. */
  boolean hasGivenUpSide() {
    return formerTopology.gridDefinition().prefersAvailability();
  }

  /**
   * Whether a node that has given its side up may found a grid now. It first leaves time for the
   * grid that its side was given up for, and for each node before it in view. These may be new
   * nodes that found no grid, since they wait for more nodes.
   *
   * @param place of this node in view, negative if it is not there
   */
  boolean isFoundingTime(int place, long now) {
    return place >= 0 && now - formerEndedNanos >= (place + 1) * REJOIN_WAIT_NANOS;
  }

  /**
   * A grid that goes on from the side that was given up: that side is still to be merged, and the
   * grid it was given up for is out of reach.
   */
  GridDefinition createFork(UUID gridId) {
    return formerTopology
        .gridDefinition()
        .createSuccessor(gridId, formerTopology.number(), 0, List.of());
  }

  /**
   * Decides what becomes of two related grids. A node gives way only after it has had an answer,
   * because it must be able to ask for admission.
   *
   * @param question asks for that answer
   */
  List<DiscoveryEffect> onRelatedGrid(
      Topology current, HelloMessage hello, boolean cutOff, SendDiscoveryMessage question) {
    boolean isMember = current.members().contains(self);
    if (!hello.isAlive()
        || !ForkPrecedence.yields(current, isMember, cutOff, hello.gridId(), hello.lineage())) {
      return List.of();
    }
    if (!hello.isReply()) {
      return List.of(question);
    }
    return List.of(
        cutOff || !isMember ? new DiscoveryEffect.GiveUpGrid() : new DiscoveryEffect.EndGrid());
  }
}
