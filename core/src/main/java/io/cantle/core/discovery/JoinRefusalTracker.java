package io.cantle.core.discovery;

import io.cantle.core.agreement.Lease;
import io.cantle.core.discovery.DiscoveryEffect.SendDiscoveryMessage;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Words refusals to nodes that are not admitted, and keeps the refusal this node was sent.
 *
 * <p><b>Threading:</b> {@link #refusalText} by any thread; everything else guarded by the lock of
 * {@code TopologyDriver}.
 */
public final class JoinRefusalTracker {
  /** How long a refusal counts; refusals are repeated. */
  private static final long REFUSAL_VALID_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * How long a refusal for another process with the same store counts; it is sent four times a
   * second.
   */
  private static final long SAME_NODE_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How long a refusal must be repeated to be logged. A node that restarts at once is refused for a
   * moment because of its former incarnation.
   */
  private static final long LOG_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Member self;
  private final Lease lease;
  private volatile @Nullable ReceivedRefusal told;

  /**
   * The newest topology that this node was sent of a recovery of its grid. If it gave its grid up,
   * of any grid of that grid's family.
   */
  private Topology successor = Topology.NONE;

  private boolean fenced;
  private boolean logged;

  private record ReceivedRefusal(JoinRefusal refusal, long firstNanos, long atNanos) {}

  /** Creates a tracker. */
  public JoinRefusalTracker(Member self, Lease lease) {
    this.self = self;
    this.lease = lease;
  }

  /** Tells a node that it was given up, if it was, and what that means for the data it holds. */
  List<SendDiscoveryMessage> refuseIfGivenUp(Topology current, Member from) {
    if (!current.gridDefinition().isGivenUp(from)) {
      return List.of();
    }
    List<String> lost = GridRecovery.describeLostSegments(current, from);
    String advice =
        lost.isEmpty()
            ? "it may join as a new node, without what it holds"
            : ("it may hold what is lost there, %s. Save its folder; once Grid.acceptLoss has given"
                    + " these up it may join, as a new node without what it holds")
                .formatted(String.join(", ", lost));
    return List.of(
        refuse(
            current,
            from,
            JoinRefusal.Reason.GIVEN_UP,
            lease.isHeld() && lost.isEmpty(),
            "node %s was given up when its grid was recovered, which went on without it as %s: %s"
                .formatted(from, current.gridId(), advice)));
  }

  /**
   * Tells a node that its store is an old copy.
   *
   * @param isFinal whether the grid goes on without that node, and lacks nothing that the copy may
   *     have
   */
  SendDiscoveryMessage refuseOutdated(Topology current, Member from, boolean isFinal) {
    return refuse(
        current,
        from,
        JoinRefusal.Reason.OUTDATED,
        isFinal,
        "the store of %s is an old copy: %s has heard of more that was written to it. "
                .formatted(from, self)
            + (isFinal
                ? "Grid " + current.gridId() + " goes on without, and it may join as a new node"
                : "It waits until the others go on without it and hold all that it may have. If"
                    + " they cannot: give it the store it had last; or end all nodes and say"
                    + " ./cantle recover --store DIR --restored for each folder, which takes"
                    + " all of them as they are"));
  }

  /** Tells a node that another process uses its store or a copy of it. */
  SendDiscoveryMessage refuseSameNode(Topology current, Member from, Member other) {
    return refuse(
        current,
        from,
        JoinRefusal.Reason.SAME_NODE,
        false,
        ("its node, %s, is a member already: %s, which runs. Each node has a store of its own, and"
                + " no copy of another's: give this one an empty folder, or end the other first")
            .formatted(from.nodeId(), other));
  }

  /** Tells a node that this grid cannot admit any node. */
  SendDiscoveryMessage refuseCutOff(Topology current, Member from, String why) {
    return refuse(
        current,
        from,
        JoinRefusal.Reason.CUT_OFF,
        false,
        "grid " + current.gridId() + " is there and cannot admit a node: " + why);
  }

  private static SendDiscoveryMessage refuse(
      Topology current, Member to, JoinRefusal.Reason reason, boolean isFinal, String text) {
    return new SendDiscoveryMessage(
        to, new JoinRefusal(reason, current.gridId(), to.nodeId(), to.id(), isFinal, text));
  }

  /**
   * Handles a topology that this node was sent. If it is of a recovery of this node's grid, its
   * members may refuse this node, whether it may follow them or not. So may members of the family
   * of a grid that it gave up.
   *
   * @param former the grid that this node gave up last
   */
  public void onTopology(Topology current, Topology former, Topology received) {
    boolean isOlder =
        received.gridId().equals(successor.gridId()) && received.number() < successor.number();
    if (!isOlder && isSuccessor(current, former, received.gridDefinition())) {
      successor = received;
    }
  }

  private static boolean isSuccessor(Topology current, Topology former, GridDefinition received) {
    GridDefinition last = former.gridDefinition();
    return current.isFounded()
        ? received.lineage().recoveryOf(current.gridId()) != null
        : received.isRelatedTo(last.gridId(), last.lineage());
  }

  /**
   * Whether this node believes a refusal. It must be for this incarnation of this node.
   *
   * <ul>
   *   <li>In a grid, this node believes members of that grid or of a recovery of it. The sender
   *       shows its topology first, so members that this node has never heard of are known by then.
   *       No member says that it is cut off to a node that has a grid.
   *   <li>A node that gave up its side of a partition still holds what is to be merged, perhaps in
   *       a store. That this does not count it believes only from nodes that it knows from there.
   *   <li>A node that was in no grid has nothing to lose, and believes any sender.
   * </ul>
   *
   * @param former the grid that this node gave up last
   */
  private boolean isCredible(Topology current, Topology former, Member from, JoinRefusal refusal) {
    if (!refusal.isAddressedTo(self)) {
      return false;
    }
    boolean refusedBySuccessor =
        refusal.gridId().equals(successor.gridId()) && isMember(from, successor);
    if (current.isFounded()) {
      return refusal.reason() != JoinRefusal.Reason.CUT_OFF
          && (refusedBySuccessor
              || (refusal.gridId().equals(current.gridId()) && isMember(from, current)));
    }
    boolean holdsLosingReplicas = former.gridDefinition().prefersAvailability();
    return !refusal.invalidatesPromises()
        || !holdsLosingReplicas
        || refusedBySuccessor
        || isMember(from, former);
  }

  private static boolean isMember(Member from, Topology topology) {
    return topology.members().stream().anyMatch(from::isSameNode);
  }

  /**
   * Handles a refusal that this node was sent. It may fence this node, which then neither votes nor
   * answers any more.
   *
   * @param former the grid that this node gave up last
   */
  List<DiscoveryEffect> onRefusal(
      Topology current, Topology former, Member from, JoinRefusal refusal, long now) {
    if (!isCredible(current, former, from, refusal)) {
      return List.of();
    }
    List<DiscoveryEffect> effects = new ArrayList<>();
    if (refusal.invalidatesPromises() && !fenced) {
      fenced = true;
      effects.add(new DiscoveryEffect.Fence());
    }
    ReceivedRefusal before = told;
    long first = now;
    if (before != null && before.refusal.equals(refusal)) {
      first = before.firstNanos;
    } else {
      logged = false;
    }
    told = new ReceivedRefusal(refusal, first, now);
    if (!logged && now - first >= LOG_DELAY_NANOS) {
      logged = true;
      effects.add(
          new DiscoveryEffect.ReportText(
              System.Logger.Level.INFO, "%s is not let in: %s".formatted(self, refusal.text())));
    }
    if (refusal.invalidatesStore()) {
      effects.add(new DiscoveryEffect.ReportStoreRefusal(refusal));
    }
    return effects;
  }

  /**
   * Whether this node must not vote: for good, or while another process of the same node is there.
   */
  public boolean isSilenced(long now) {
    ReceivedRefusal last = told;
    return fenced
        || (last != null
            && last.refusal.reason() == JoinRefusal.Reason.SAME_NODE
            && now - last.atNanos < SAME_NODE_VALID_NANOS);
  }

  /** The text of the refusal this node was sent lately; empty if there is none. */
  public String refusalText(long now) {
    ReceivedRefusal last = told;
    return last == null || now - last.atNanos > REFUSAL_VALID_NANOS ? "" : last.refusal.text();
  }
}
