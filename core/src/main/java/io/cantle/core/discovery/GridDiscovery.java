package io.cantle.core.discovery;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.IncarnationTable;
import io.cantle.core.agreement.Lease;
import io.cantle.core.base.Environment;
import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.discovery.DiscoveryMessage.JoinRequest;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.ForkPrecedence;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Brings nodes into one grid. The leader of a grid greets every node in view that is no member. A
 * node without a grid asks to be admitted. If no node in view has a grid, the first of them founds
 * one.
 *
 * <p>Two grids that meet become one if one of them was never written to. That one ends, by a last
 * topology its voters decide, and its members join the other. If both were written to, the one
 * founded later stops serving and says so. Forks of one grid always become one again: see {@link
 * GridLineage}.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class GridDiscovery {
  /** How long a node's statement about itself counts. */
  private static final long REPORT_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long a node that gave its grid up looks for the grid it was given up for. */
  private static final long REJOIN_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MessagingService messaging;
  private final Environment environment;
  private final JoinSettings joinSettings;
  private final Lease lease;
  private final PartitionHandling partitionHandling;
  private final ForeignGridListener foreignGridListener;
  private final IncarnationTable incarnations;
  private final Map<Member, GridlessNode> gridlessNodes = new HashMap<>();

  /** Nodes that have no grid either, and would found one that this node must not be in. */
  private final Map<Member, GridlessNode> incompatibleNodes = new HashMap<>();

  private Topology formerTopology = Topology.NONE;
  private long formerEndedNanos;
  private boolean otherGridMet;
  private long gridMetNanos;

  /** What the caller is to do after a hello. */
  enum MeetingResult {
    /** Nothing more. */
    NOTHING,
    /** Give this grid up, if this node leads it. */
    YIELD,
    /** Leave this grid for the other one at once. */
    LEAVE
  }

  /**
   * Creates the discovery of a node that is in no grid.
   *
   * @param foreignGridListener is told of grids that this node cannot be part of
   */
  public GridDiscovery(
      MessagingService messaging,
      Environment environment,
      JoinSettings joinSettings,
      Agreement agreement,
      ForeignGridListener foreignGridListener) {
    this.messaging = messaging;
    this.environment = environment;
    this.joinSettings = joinSettings;
    this.partitionHandling = PartitionHandling.of(joinSettings.whenCut());
    this.lease = agreement.lease();
    this.incarnations = agreement.incarnations();
    this.foreignGridListener = foreignGridListener;
  }

  /**
   * Takes the partition handling of the grid that an earlier incarnation of this node was in, and
   * reports it if this node's configuration has another one.
   */
  public void checkRestored(PartitionHandling gridMode) {
    if (gridMode != partitionHandling) {
      foreignGridListener.onIncompatibleGrid(gridMode);
    }
  }

  // ------------------------------------------------------------------ without a grid

  /** When a node said that it has no grid, and the capacity it stated. */
  private record GridlessNode(long reportedNanos, MemberCapacity capacity) {}

  /** Records that a node has no grid either, and the partition handling it wants for one. */
  void recordGridless(Member member, MemberCapacity memberCapacity, PartitionHandling wanted) {
    (wanted == partitionHandling ? gridlessNodes : incompatibleNodes)
        .put(member, new GridlessNode(environment.clock().nanoTime(), memberCapacity));
  }

  /**
   * Asks all nodes in view for admission. A node that would found a grid asks instead whether they
   * have one: the first in view, and one that has waited long enough for the others.
   */
  void askForGrid(List<Member> view) {
    boolean first = view.getFirst().equals(messaging.self());
    boolean wouldFound = first || isFoundingTime(view, environment.clock().nanoTime());
    for (Member member : view) {
      if (!member.equals(messaging.self())) {
        if (wouldFound) {
          greet(Topology.NONE, member);
        }
        if (!first) {
          requestAdmission(member, Topology.NONE.gridId());
        }
      }
    }
  }

  /**
   * The nodes that found a grid together with this one; empty while it is not time to found one.
   */
  List<Member> chooseFounders(Topology current, List<Member> view) {
    long now = environment.clock().nanoTime();
    gridlessNodes.values().removeIf(one -> now - one.reportedNanos > REPORT_VALID_NANOS);
    incompatibleNodes.values().removeIf(one -> now - one.reportedNanos > REPORT_VALID_NANOS);
    if (current.isFounded() || !isFoundingTime(view, now) || hasMetGridWithin(REPORT_VALID_NANOS)) {
      return List.of();
    }
    List<Member> founders = new ArrayList<>();
    for (Member member : view) {
      if (member.equals(messaging.self()) || gridlessNodes.containsKey(member)) {
        founders.add(member);
      } else if (!incompatibleNodes.containsKey(member)) {
        return List.of();
      }
    }
    return founders;
  }

  /**
   * Whether this node has no grid and founds one as soon as enough time has passed. Nothing else
   * may happen until then, so the node must check again by itself.
   */
  public boolean isFoundingDelayed(Topology current) {
    return !current.isFounded() && (otherGridMet || hasGivenUpGrid());
  }

  /** Whether a node that has a grid, or would found one, was heard within this time. */
  public boolean hasMetGridWithin(long nanos) {
    return otherGridMet && environment.clock().nanoTime() - gridMetNanos < nanos;
  }

  /**
   * Whether this node may found a grid now. The first node in view founds a new one. A node that
   * has given its grid up first leaves time for the grid that it was given up for, and for each
   * node before it in view. These may be new nodes that found no grid, since they wait for more
   * nodes.
   */
  private boolean isFoundingTime(List<Member> view, long now) {
    int place = view.indexOf(messaging.self());
    return hasGivenUpGrid()
        ? place >= 0 && now - formerEndedNanos >= (place + 1) * REJOIN_WAIT_NANOS
        : place == 0 && view.size() >= joinSettings.initialMembers();
  }

  /** Whether this node was in an available grid last, and may go on as a fork of it. */
  private boolean hasGivenUpGrid() {
    return formerTopology.gridDefinition().prefersAvailability();
  }

  /** The first topology of a new grid. */
  Topology createGrid(List<Member> founders) {
    UUID gridId = new UUID(environment.random().nextLong(), environment.random().nextLong());
    // What was given up is still to be merged, and the grid it was given up for is out of reach.
    GridDefinition gridDefinition =
        hasGivenUpGrid()
            ? formerTopology.gridDefinition().createFork(gridId, formerTopology.number(), 0)
            : GridDefinition.ofNewGrid(
                gridId,
                environment.clock().wallMillis(),
                environment.random().nextLong(),
                partitionHandling);

    Membership membership =
        Membership.ofFounders(founders, this::capacityOf, gridDefinition.oldestDecides());
    return new Topology(1, gridDefinition, membership, List.of());
  }

  /** The capacity of a founder. */
  private MemberCapacity capacityOf(Member member) {
    GridlessNode report = gridlessNodes.get(member);
    return report == null ? joinSettings.capacity() : report.capacity;
  }

  /** Asks to be admitted, as a node that is already in this grid, or in none. */
  void requestAdmission(Member member, UUID gridId) {
    messaging.post(member, new JoinRequest(gridId, joinSettings.capacity(), partitionHandling));
  }

  /**
   * Records that this node's grid has ended. It founds no other before it has looked for the grid
   * its own was given up for.
   */
  public void onGridGivenUp(Topology last) {
    recordGridMet();
    formerTopology = last;
    formerEndedNanos = gridMetNanos;
  }

  private void recordGridMet() {
    otherGridMet = true;
    gridMetNanos = environment.clock().nanoTime();
  }

  /** The last topology of the grid that this node gave up last; NONE if it gave none up. */
  public Topology formerTopology() {
    return formerTopology;
  }

  // ------------------------------------------------------------------ with a grid

  /** Greets the nodes in view that are no members. */
  void greet(Topology current, List<Member> view) {
    view.stream()
        .filter(member -> !current.members().contains(member))
        .forEach(member -> greet(current, member));
  }

  /** Asks the voters, which have not been heard for long, whether this is still their grid. */
  void probeVoters(Topology current) {
    incarnations.addressesOf(current.membership().voters()).stream()
        .filter(voter -> !voter.equals(messaging.self()))
        .forEach(voter -> greet(current, voter));
  }

  /** Whether the sender has a grid, and it is not this one. */
  boolean isOtherGrid(Topology current, HelloMessage hello) {
    return !hello.gridId().equals(current.gridId())
        && !hello.gridId().equals(Topology.NONE.gridId());
  }

  /** What this node says about its grid; {@link Topology#NONE} says that it has none. */
  private HelloMessage createHello(Topology current, boolean reply) {
    GridDefinition gridDefinition = current.gridDefinition();
    return new HelloMessage(
        current.gridId(),
        gridDefinition.isWritten(),
        gridDefinition.foundedMillis(),
        lease.isHeld(),
        reply,
        gridDefinition.lineage(),
        gridDefinition.partitionHandling());
  }

  /** Tells a node which grid this one is, if any. */
  public void greet(Topology current, Member member) {
    messaging.post(member, createHello(current, false));
  }

  /** Handles a node's message that says which grid it belongs to. */
  MeetingResult onHello(Topology current, Member from, HelloMessage hello, boolean cutOff) {
    boolean hasGrid = !hello.gridId().equals(Topology.NONE.gridId());
    if (!current.isFounded()) {
      if (hasGrid || (from.compareTo(messaging.self()) < 0 && !hasGivenUpGrid())) {
        // There is a grid already; or both nodes would found one, and this node is not the first.
        // Two forks do no harm: they are merged.
        recordGridMet();
      }
      if (!hasGrid || hello.partitionHandling() == partitionHandling) {
        requestAdmission(from, Topology.NONE.gridId());
      } else if (hello.isAlive()) {
        foreignGridListener.onIncompatibleGrid(hello.partitionHandling());
      }
      return MeetingResult.NOTHING;
    }
    if (hello.gridId().equals(current.gridId())) {
      if (hello.isAlive()) {
        recordGridMet();
      }
      // The sender does not count this node as a member, whatever this node believes.
      if (!hello.isReply()) {
        requestAdmission(from, current.gridId());
      }
      return MeetingResult.NOTHING;
    }
    if (!hello.isReply()) {
      messaging.post(from, createHello(current, true));
    }
    if (hasGrid && current.gridDefinition().isRelatedTo(hello.gridId(), hello.lineage())) {
      return onRelatedGrid(current, from, hello, cutOff);
    }
    return hasGrid ? onForeignGrid(current, from, hello) : MeetingResult.NOTHING;
  }

  /**
   * Decides what becomes of two related grids. A node gives way only after it has had an answer,
   * because it must be able to ask for admission.
   */
  private MeetingResult onRelatedGrid(
      Topology current, Member from, HelloMessage hello, boolean cutOff) {
    if (!hello.isAlive()) {
      return MeetingResult.NOTHING;
    }
    boolean isMember = current.members().contains(messaging.self());
    if (!ForkPrecedence.yields(current, isMember, cutOff, hello.gridId(), hello.lineage())) {
      return MeetingResult.NOTHING;
    }
    if (!hello.isReply()) {
      greet(current, from);
      return MeetingResult.NOTHING;
    }
    return cutOff || !isMember ? MeetingResult.LEAVE : MeetingResult.YIELD;
  }

  private MeetingResult onForeignGrid(Topology current, Member from, HelloMessage hello) {
    boolean used = current.gridDefinition().isWritten();
    // Only values that never change decide, so that all nodes decide alike. The number of members
    // says nothing of what a grid holds: several nodes that have just started would stop the last
    // one of many.
    boolean older = current.gridDefinition().isOlderThan(hello.gridId(), hello.foundedMillis());
    if (!used) {
      return hello.isWritten() || !older ? MeetingResult.YIELD : MeetingResult.NOTHING;
    }
    if (hello.isWritten() && !older) {
      System.getLogger(GridDiscovery.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "met {0} of an older grid of the same name, {1}",
              from,
              hello.gridId());
      foreignGridListener.onForeignGrid();
    }
    return MeetingResult.NOTHING;
  }
}
