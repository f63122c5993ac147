package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What nodes are told that are not let in, and what this node was told.
 *
 * <p><b>Threading:</b> {@link #text} by any thread; everything else guarded by the lock of the
 * keeper.
 */
final class Refusals {
  /** How long what was told counts: it is told again and again. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Another process with the same store is told of four times a second. */
  private static final long SAME_NODE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After how long it is worth a line: who starts again at once meets its former life. */
  private static final long LOGGED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  private final Requests requests;
  private final Clock clock;
  private final Lease lease;
  private final Foreign foreign;
  private volatile @Nullable Told told;

  private boolean logged;

  private record Told(Refusal refusal, long firstNanos, long atNanos) {}

  Refusals(Requests requests, Clock clock, Lease lease, Foreign foreign) {
    this.requests = requests;
    this.clock = clock;
    this.lease = lease;
    this.foreign = foreign;
  }

  /** Tells a node that what it holds counts no more, if that is so. */
  boolean refusesGivenUp(Topology current, Member from) {
    if (!current.charter().isGivenUp(from)) {
      return false;
    }
    List<String> lost = Recovery.lostOf(current, from);
    String what =
        "node "
            + from
            + " was given up when its grid was recovered, which went on without it as "
            + current.gridId()
            + ": ";
    boolean isFinal = lease.held() && lost.isEmpty();
    tell(
        from,
        new Refusal(
            Refusal.Reason.GIVEN_UP,
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
    tell(
        from,
        new Refusal(
            Refusal.Reason.OUTDATED,
            isFinal,
            "the store of "
                + from
                + " is an old copy: "
                + requests.self()
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
    tell(
        from,
        new Refusal(
            Refusal.Reason.SAME_NODE,
            false,
            "its node, "
                + from.node()
                + ", is a member already: "
                + other
                + ", which runs. Each node has a store of its own, and no copy of another's: give"
                + " this one an empty folder, or end the other first"));
  }

  /** Tells a node that nobody can be let in. */
  void refuseCutOff(Topology current, Member from, String why) {
    tell(
        from,
        new Refusal(
            Refusal.Reason.CUT_OFF,
            false,
            "grid " + current.gridId() + " is there and cannot let anybody in: " + why));
  }

  private void tell(Member from, Refusal refusal) {
    Output out = requests.message(Kind.REFUSED);
    refusal.write(out);
    requests.post(from, out);
  }

  /** This node is told. */
  void came(Refusal refusal) {
    Told before = told;
    long now = clock.nanoTime();
    long first = now;
    if (before != null && before.refusal.equals(refusal)) {
      first = before.firstNanos;
    } else {
      logged = false;
    }
    told = new Told(refusal, first, now);
    if (!logged && now - first >= LOGGED_AFTER_NANOS) {
      logged = true;
      LOG.log(System.Logger.Level.INFO, "{0} is not let in: {1}", requests.self(), refusal.text());
    }
    if (refusal.makesStoreWorthless()) {
      foreign.refused(refusal);
    }
  }

  /** Whether another process with the same store was there a moment ago. */
  boolean saysSameNode() {
    Told last = told;
    return last != null
        && last.refusal.reason() == Refusal.Reason.SAME_NODE
        && clock.nanoTime() - last.atNanos < SAME_NODE_NANOS;
  }

  /** What this node was told lately; empty if nothing. */
  String text() {
    Told last = told;
    return last == null || clock.nanoTime() - last.atNanos > FRESH_NANOS ? "" : last.refusal.text();
  }
}
