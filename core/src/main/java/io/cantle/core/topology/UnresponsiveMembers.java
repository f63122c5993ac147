package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.transport.Member;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Whom this node has asked again and again, in vain. The voters may hear both well: they learn of
 * it only if they are told.
 *
 * <p><b>Threading:</b> any thread.
 */
final class UnresponsiveMembers {
  /** Without an answer for so long, one is complained about. */
  static final long COMPLAIN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(4);

  /** Who was not waited for meanwhile is waited for anew. */
  private static final long MAX_GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long COMPLAIN_INTERVAL_NANOS = Lease.DURATION_NANOS / 4;

  private record UnansweredRequest(long sinceNanos, long askedNanos, long complainedNanos) {}

  private final Clock clock;
  private final Map<Member, UnansweredRequest> unansweredRequests = new ConcurrentHashMap<>();

  UnresponsiveMembers(Clock clock) {
    this.clock = clock;
  }

  /** This node asks a member once more; returns whether that is to be told now. */
  boolean recordRequest(Member member) {
    long now = clock.nanoTime();
    UnansweredRequest before = unansweredRequests.get(member);
    if (before == null || now - before.askedNanos > MAX_GAP_NANOS) {
      unansweredRequests.put(member, new UnansweredRequest(now, now, now));
      return false;
    }
    boolean tells =
        now - before.sinceNanos >= COMPLAIN_AFTER_NANOS
            && now - before.complainedNanos >= COMPLAIN_INTERVAL_NANOS;
    unansweredRequests.put(
        member,
        new UnansweredRequest(before.sinceNanos, now, tells ? now : before.complainedNanos));
    return tells;
  }

  /** Who is no member is waited for by nobody. */
  void onTopologyAdopted(Topology topology) {
    unansweredRequests.keySet().retainAll(topology.members());
  }

  /** A member has answered. */
  void recordAnswer(Member member) {
    if (!unansweredRequests.isEmpty()) {
      unansweredRequests.remove(member);
    }
  }
}
