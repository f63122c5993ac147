package io.cantle.core.topology;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.Clock;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The members that this node has asked again and again, in vain. The voters may hear both nodes
 * well, so they learn of it only by a report.
 *
 * <p><b>Threading:</b> any thread.
 */
final class UnresponsiveMembers {
  /** A member that has not answered for this long is reported. */
  static final long COMPLAIN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(4);

  /** A wait counts from the beginning again if no request was sent for longer than this. */
  private static final long MAX_GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long COMPLAIN_INTERVAL_NANOS = Lease.DURATION_NANOS / 4;

  private record UnansweredRequest(long sinceNanos, long askedNanos, long complainedNanos) {}

  private final Clock clock;
  private final Map<Member, UnansweredRequest> unansweredRequests = new ConcurrentHashMap<>();

  UnresponsiveMembers(Clock clock) {
    this.clock = clock;
  }

  /** Records one more request to a member; returns whether to report the member now. */
  boolean recordRequest(Member member) {
    long now = clock.nanoTime();
    UnansweredRequest before = unansweredRequests.get(member);
    if (before == null || now - before.askedNanos > MAX_GAP_NANOS) {
      unansweredRequests.put(member, new UnansweredRequest(now, now, now));
      return false;
    }
    boolean shouldReport =
        now - before.sinceNanos >= COMPLAIN_AFTER_NANOS
            && now - before.complainedNanos >= COMPLAIN_INTERVAL_NANOS;
    unansweredRequests.put(
        member,
        new UnansweredRequest(before.sinceNanos, now, shouldReport ? now : before.complainedNanos));
    return shouldReport;
  }

  /** Forgets nodes that are no longer members. */
  void onTopologyAdopted(Topology topology) {
    unansweredRequests.keySet().retainAll(topology.members());
  }

  /** Records that a member has answered. */
  void recordAnswer(Member member) {
    if (!unansweredRequests.isEmpty()) {
      unansweredRequests.remove(member);
    }
  }
}
