package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What nodes are told that are not let in, and what this node was told.
 *
 * <p><b>Threading:</b> {@link #refusalText} by any thread; everything else guarded by the lock of
 * the keeper.
 */
final class JoinRefusalTracker {
  /** How long what was told counts: it is told again and again. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Another process with the same store is told of four times a second. */
  private static final long SAME_NODE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After how long it is worth a line: who starts again at once meets its former life. */
  private static final long LOG_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  private final MessagingService messaging;
  private final Clock clock;
  private final Lease lease;
  private final ForeignGridListener foreignGridListener;
  private volatile @Nullable ReceivedRefusal told;

  private boolean logged;

  private record ReceivedRefusal(JoinRefusal refusal, long firstNanos, long atNanos) {}

  JoinRefusalTracker(
      MessagingService messaging,
      Clock clock,
      Lease lease,
      ForeignGridListener foreignGridListener) {
    this.messaging = messaging;
    this.clock = clock;
    this.lease = lease;
    this.foreignGridListener = foreignGridListener;
  }

  /** Tells a node that what it holds counts no more, if that is so. */
  boolean refusesGivenUp(Topology current, Member from) {
    if (!current.gridDefinition().isGivenUp(from)) {
      return false;
    }
    List<String> lost = GridRecovery.lostMemberNames(current, from);
    String what =
        "node "
            + from
            + " was given up when its grid was recovered, which went on without it as "
            + current.gridId()
            + ": ";
    boolean isFinal = lease.isHeld() && lost.isEmpty();
    sendRefusal(
        from,
        new JoinRefusal(
            JoinRefusal.Reason.GIVEN_UP,
            isFinal,
            what
                + (lost.isEmpty()
                    ? "it may join as a new node, without what it holds"
                    : "it may hold what is lost there, "
                        + String.join(", ", lost)
                        + ". Save its folder; once Grid.acceptLoss has given these up it may join,"
                        + " as a new node without what it holds")));
    return true;
  }

  /**
   * Tells a node that its store is an old copy.
   *
   * @param isFinal whether the grid goes on without, and lacks nothing that the copy may have
   */
  void refuseOutdated(Topology current, Member from, boolean isFinal) {
    sendRefusal(
        from,
        new JoinRefusal(
            JoinRefusal.Reason.OUTDATED,
            isFinal,
            "the store of "
                + from
                + " is an old copy: "
                + messaging.self()
                + " has heard of more that was written to it. "
                + (isFinal
                    ? "Grid " + current.gridId() + " goes on without, and it may join as a new node"
                    : "It waits until the others go on without it and hold all that it may have. If"
                        + " they cannot: give it the store it had last; or end all nodes and say"
                        + " ./cantle recover --store DIR --restored for each folder, which takes"
                        + " all of them as they are")));
  }

  /** Tells a node that another one uses its store, or a copy. */
  void refuseSameNode(Member from, Member other) {
    sendRefusal(
        from,
        new JoinRefusal(
            JoinRefusal.Reason.SAME_NODE,
            false,
            "its node, "
                + from.nodeId()
                + ", is a member already: "
                + other
                + ", which runs. Each node has a store of its own, and no copy of another's: give"
                + " this one an empty folder, or end the other first"));
  }

  /** Tells a node that nobody can be let in. */
  void refuseCutOff(Topology current, Member from, String why) {
    sendRefusal(
        from,
        new JoinRefusal(
            JoinRefusal.Reason.CUT_OFF,
            false,
            "grid " + current.gridId() + " is there and cannot let anybody in: " + why));
  }

  private void sendRefusal(Member from, JoinRefusal refusal) {
    Output out = messaging.newMessage(MessageKind.REFUSED);
    refusal.write(out);
    messaging.post(from, out);
  }

  /** This node is told. */
  void onRefusal(JoinRefusal refusal) {
    ReceivedRefusal before = told;
    long now = clock.nanoTime();
    long first = now;
    if (before != null && before.refusal.equals(refusal)) {
      first = before.firstNanos;
    } else {
      logged = false;
    }
    told = new ReceivedRefusal(refusal, first, now);
    if (!logged && now - first >= LOG_DELAY_NANOS) {
      logged = true;
      LOG.log(System.Logger.Level.INFO, "{0} is not let in: {1}", messaging.self(), refusal.text());
    }
    if (refusal.makesStoreWorthless()) {
      foreignGridListener.onIncompatibleGrid(refusal);
    }
  }

  /** Whether another process with the same store was there a moment ago. */
  boolean saysSameNode() {
    ReceivedRefusal last = told;
    return last != null
        && last.refusal.reason() == JoinRefusal.Reason.SAME_NODE
        && clock.nanoTime() - last.atNanos < SAME_NODE_NANOS;
  }

  /** What this node was told lately; empty if nothing. */
  String refusalText() {
    ReceivedRefusal last = told;
    return last == null || clock.nanoTime() - last.atNanos > FRESH_NANOS ? "" : last.refusal.text();
  }
}
