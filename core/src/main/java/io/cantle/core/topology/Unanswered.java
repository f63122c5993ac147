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
final class Unanswered {
  /** Without an answer for so long, one is complained about. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

  /** Who was not waited for meanwhile is waited for anew. */
  private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long TELL_AGAIN_NANOS = Lease.NANOS / 4;

  private record Wait(long since, long lately, long told) {}

  private final Clock clock;
  private final Map<Member, Wait> waits = new ConcurrentHashMap<>();

  Unanswered(Clock clock) {
    this.clock = clock;
  }

  /** This node asks a member once more; returns whether that is to be told now. */
  boolean asks(Member member) {
    long now = clock.nanoTime();
    Wait before = waits.get(member);
    if (before == null || now - before.lately > GAP_NANOS) {
      waits.put(member, new Wait(now, now, now));
      return false;
    }
    boolean tells = now - before.since >= PATIENCE_NANOS && now - before.told >= TELL_AGAIN_NANOS;
    waits.put(member, new Wait(before.since, now, tells ? now : before.told));
    return tells;
  }

  /** Who is no member is waited for by nobody. */
  void adopted(Topology topology) {
    waits.keySet().retainAll(topology.members());
  }

  /** A member has answered. */
  void answered(Member member) {
    if (!waits.isEmpty()) {
      waits.remove(member);
    }
  }
}
