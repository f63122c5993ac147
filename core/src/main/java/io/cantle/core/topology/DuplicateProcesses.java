package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which processes run beside another one that is the same node, because a store was copied. A node
 * that starts again meets many who do not know yet that its former life is dead. So a member counts
 * as running only if it was heard of after the other process was met, and a moment ago.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class DuplicateProcesses {
  private final Clock clock;
  private final MessagingService messaging;

  /** When members said something last. */
  private final Map<Member, Long> heard = new HashMap<>();

  /** When lives were met first that are no members. */
  private final Map<Member, Long> met = new HashMap<>();

  DuplicateProcesses(Clock clock, MessagingService messaging) {
    this.clock = clock;
    this.messaging = messaging;
  }

  /** A member has said something. */
  void heard(Member member) {
    if (member.hasStore()) {
      heard.put(member, clock.nanoTime());
    }
  }

  /** Forgets those that are no more in sight, or no more members. */
  void view(Topology current, List<Member> present) {
    met.keySet().retainAll(present);
    heard.keySet().retainAll(current.members());
  }

  /**
   * The member that runs and is the same node as a life that is none and was met just now; null if
   * there is none.
   */
  @Nullable Member besides(Topology current, Member life) {
    long now = clock.nanoTime();
    long since = met.computeIfAbsent(life, same -> now);
    for (Member member : current.members()) {
      if (member.isSameNode(life) && !member.equals(life) && runs(member, since, now)) {
        return member;
      }
    }
    return null;
  }

  private boolean runs(Member member, long since, long now) {
    Long last = heard.get(member);
    return member.equals(messaging.self())
        || (last != null && last - since > 0 && now - last < LeaseTable.SUSPECT_AFTER_NANOS);
  }
}
