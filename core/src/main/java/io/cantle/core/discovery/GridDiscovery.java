package io.cantle.core.discovery;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.IncarnationTable;
import io.cantle.core.agreement.Lease;
import io.cantle.core.discovery.DiscoveryEffect.SendDiscoveryMessage;
import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.discovery.DiscoveryMessage.JoinRequest;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

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
 * <p>It sends nothing: what is to be sent is returned.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class GridDiscovery {
  /** How long a node's statement about itself counts. */
  private static final long REPORT_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Member self;
  private final ForkDiscovery forks;
  private final JoinSettings joinSettings;
  private final Lease lease;
  private final PartitionHandling partitionHandling;
  private final IncarnationTable incarnations;
  private final Map<Member, GridlessNode> gridlessNodes = new HashMap<>();
  private boolean otherGridMet;
  private long gridMetNanos;

  /** Creates the discovery of a node that is in no grid. */
  public GridDiscovery(Member self, JoinSettings joinSettings, Agreement agreement) {
    this.self = self;
    this.forks = new ForkDiscovery(self);
    this.joinSettings = joinSettings;
    this.partitionHandling = PartitionHandling.of(joinSettings.whenCut());
    this.lease = agreement.lease();
    this.incarnations = agreement.incarnations();
  }

  /** Reports the partition handling of a grid if this node's configuration has another one. */
  public List<DiscoveryEffect> checkPartitionHandling(PartitionHandling gridMode) {
    return gridMode == partitionHandling
        ? List.of()
        : List.of(new DiscoveryEffect.ReportPartitionHandling(gridMode));
  }

  // ------------------------------------------------------------------ without a grid

  /**
   * When a node said that it has no grid, its capacity, and what it wants of the grid it founds.
   */
  private record GridlessNode(
      long reportedNanos, MemberCapacity capacity, PartitionHandling wanted) {}

  /** Records that a node has no grid either, and the partition handling it wants for one. */
  void recordGridless(
      Member member, MemberCapacity memberCapacity, PartitionHandling wanted, long now) {
    forgetOldReports(now);
    gridlessNodes.put(member, new GridlessNode(now, memberCapacity, wanted));
  }

  private void forgetOldReports(long now) {
    gridlessNodes.values().removeIf(one -> now - one.reportedNanos > REPORT_VALID_NANOS);
  }

  /**
   * Asks all nodes in view for admission. A node that would found a grid asks instead whether they
   * have one: the first in view, and one that has waited long enough for the others.
   */
  List<SendDiscoveryMessage> askForGrid(List<Member> view, long now) {
    boolean first = view.getFirst().equals(self);
    boolean wouldFound = first || isFoundingTime(view, now);
    List<SendDiscoveryMessage> sends = new ArrayList<>();
    for (Member member : view) {
      if (!member.equals(self)) {
        if (wouldFound) {
          sends.add(greet(Topology.NONE, member));
        }
        if (!first) {
          sends.add(requestAdmission(member, Topology.NONE.gridId()));
        }
      }
    }
    return sends;
  }

  /**
   * The nodes that found a grid together with this one; empty while it is not time to found one.
   */
  List<Member> chooseFounders(Topology current, List<Member> view, long now) {
    forgetOldReports(now);
    if (current.isFounded()
        || !isFoundingTime(view, now)
        || hasMetGridWithin(REPORT_VALID_NANOS, now)) {
      return List.of();
    }
    List<Member> founders = new ArrayList<>();
    for (Member member : view) {
      GridlessNode report = gridlessNodes.get(member);
      if (member.equals(self) || (report != null && report.wanted == partitionHandling)) {
        founders.add(member);
      } else if (report == null) {
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
    return !current.isFounded() && (otherGridMet || forks.hasGivenUpSide());
  }

  /** Whether a node that has a grid, or would found one, was heard within this time. */
  public boolean hasMetGridWithin(long nanos, long now) {
    return otherGridMet && now - gridMetNanos < nanos;
  }

  /**
   * Whether this node may found a grid now. The first node in view founds a new one, once enough
   * nodes are there.
   */
  private boolean isFoundingTime(List<Member> view, long now) {
    int place = view.indexOf(self);
    return forks.hasGivenUpSide()
        ? forks.isFoundingTime(place, now)
        : place == 0 && view.size() >= joinSettings.initialMembers();
  }

  /** The first topology of a new grid. */
  public Topology createGrid(List<Member> founders, RandomGenerator random, long wallMillis) {
    UUID gridId = new UUID(random.nextLong(), random.nextLong());
    GridDefinition gridDefinition =
        forks.hasGivenUpSide()
            ? forks.createFork(gridId)
            : GridDefinition.ofNewGrid(gridId, wallMillis, random.nextLong(), partitionHandling);

    Membership membership =
        Membership.ofFounders(founders, this::capacityOf, gridDefinition.oldestDecides());
    return new Topology(1, gridDefinition, membership, CacheCatalog.NONE);
  }

  /** The capacity of a founder. */
  private MemberCapacity capacityOf(Member member) {
    GridlessNode report = gridlessNodes.get(member);
    return report == null ? joinSettings.capacity() : report.capacity;
  }

  /** Asks to be admitted, as a node that is already in this grid, or in none. */
  SendDiscoveryMessage requestAdmission(Member member, UUID gridId) {
    return new SendDiscoveryMessage(
        member, new JoinRequest(gridId, joinSettings.capacity(), partitionHandling));
  }

  /**
   * Records that this node's grid has ended. It founds no other before it has looked for the grid
   * its own was given up for.
   */
  public void onGridGivenUp(Topology last, long now) {
    recordGridMet(now);
    forks.onGridGivenUp(last, now);
  }

  private void recordGridMet(long now) {
    otherGridMet = true;
    gridMetNanos = now;
  }

  /** The last topology of the grid that this node gave up last; NONE if it gave none up. */
  public Topology formerTopology() {
    return forks.formerTopology();
  }

  // ------------------------------------------------------------------ with a grid

  /**
   * Whether so many voters have just said that they have no grid that the others are no majority.
   * Such a voter never noted this grid or has given it up. It would vote here again once it is
   * admitted, but the others cannot decide that.
   */
  boolean isForgotten(Topology current, long now) {
    forgetOldReports(now);
    return !current.membership().isMajority(voter -> !hasForgotten(current, voter));
  }

  private boolean hasForgotten(Topology current, Member voter) {
    Member latest = incarnations.latestOf(voter);
    // What one member tells another may be from the time before both were in this grid.
    return gridlessNodes.containsKey(latest)
        && !(current.members().contains(latest) && current.members().contains(self));
  }

  /** Greets the nodes in view that are no members. */
  List<SendDiscoveryMessage> greet(Topology current, List<Member> view) {
    return view.stream()
        .filter(member -> !current.members().contains(member))
        .map(member -> greet(current, member))
        .toList();
  }

  /** Asks the voters, which have not been heard for long, whether this is still their grid. */
  List<SendDiscoveryMessage> probeVoters(Topology current) {
    return incarnations.addressesOf(current.membership().voters()).stream()
        .filter(voter -> !voter.equals(self))
        .map(voter -> greet(current, voter))
        .toList();
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
  public SendDiscoveryMessage greet(Topology current, Member member) {
    return new SendDiscoveryMessage(member, createHello(current, false));
  }

  /** Handles a node's message that says which grid it belongs to. */
  List<DiscoveryEffect> onHello(
      Topology current, Member from, HelloMessage hello, boolean cutOff, long now) {
    boolean hasGrid = !hello.gridId().equals(Topology.NONE.gridId());
    if (!current.isFounded()) {
      return onHelloWithoutGrid(from, hello, hasGrid, now);
    }
    if (hello.gridId().equals(current.gridId())) {
      if (hello.isAlive()) {
        recordGridMet(now);
      }
      // The sender does not count this node as a member, whatever this node believes.
      return hello.isReply() ? List.of() : List.of(requestAdmission(from, current.gridId()));
    }
    List<DiscoveryEffect> effects = new ArrayList<>();
    if (!hello.isReply()) {
      effects.add(new SendDiscoveryMessage(from, createHello(current, true)));
    }
    if (hasGrid) {
      effects.addAll(
          current.gridDefinition().isRelatedTo(hello.gridId(), hello.lineage())
              ? forks.onRelatedGrid(current, hello, cutOff, greet(current, from))
              : onForeignGrid(current, from, hello));
    }
    return effects;
  }

  private List<DiscoveryEffect> onHelloWithoutGrid(
      Member from, HelloMessage hello, boolean hasGrid, long now) {
    if (hasGrid || (from.compareTo(self) < 0 && !forks.hasGivenUpSide())) {
      // There is a grid already; or both nodes would found one, and this node is not the first.
      // Two forks do no harm: they are merged.
      recordGridMet(now);
    }
    if (!hasGrid || hello.partitionHandling() == partitionHandling) {
      return List.of(requestAdmission(from, Topology.NONE.gridId()));
    }
    return hello.isAlive() ? checkPartitionHandling(hello.partitionHandling()) : List.of();
  }

  private static List<DiscoveryEffect> onForeignGrid(
      Topology current, Member from, HelloMessage hello) {
    boolean used = current.gridDefinition().isWritten();
    // Only values that never change decide, so that all nodes decide alike. The number of members
    // says nothing of what a grid holds: several nodes that have just started would stop the last
    // one of many.
    boolean older = current.gridDefinition().isOlderThan(hello.gridId(), hello.foundedMillis());
    if (!used) {
      return hello.isWritten() || !older ? List.of(new DiscoveryEffect.EndGrid()) : List.of();
    }
    return hello.isWritten() && !older
        ? List.of(
            new DiscoveryEffect.ReportText(
                System.Logger.Level.DEBUG,
                "met %s of an older grid of the same name, %s".formatted(from, hello.gridId())),
            new DiscoveryEffect.ReportForeignGrid())
        : List.of();
  }
}
