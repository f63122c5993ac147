package io.cantle.core.discovery;

import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Detects processes that run at the same time as the same node, because a store was copied. A
 * restarted node meets many nodes that do not know yet that its former incarnation is dead. So a
 * member counts as running only if it was heard after the other process was met, and recently.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
final class DuplicateProcessDetector {
  private final Member self;

  /** When each member with a store was last heard. */
  private final Map<Member, Long> heardNanos = new HashMap<>();

  /** When each incarnation that is no member was first met. */
  private final Map<Member, Long> firstMetNanos = new HashMap<>();

  DuplicateProcessDetector(Member self) {
    this.self = self;
  }

  /** Records that a member was heard. */
  void onHeard(Member member, long now) {
    if (member.hasStore()) {
      heardNanos.put(member, now);
    }
  }

  /** Forgets nodes that are no longer in view and nodes that are no longer members. */
  void onView(Topology current, List<Member> present) {
    firstMetNanos.keySet().retainAll(present);
    heardNanos.keySet().retainAll(current.members());
  }

  /**
   * Returns the running member that is the same node as an incarnation just met, which is no member
   * itself; null if there is none.
   */
  @Nullable Member findRunningDuplicate(Topology current, Member incarnation, long now) {
    long since = firstMetNanos.computeIfAbsent(incarnation, same -> now);
    return current.members().stream()
        .filter(member -> member.isSameNode(incarnation) && !member.equals(incarnation))
        .filter(member -> isRunning(member, since, now))
        .findFirst()
        .orElse(null);
  }

  private boolean isRunning(Member member, long since, long now) {
    Long last = heardNanos.get(member);
    return member.equals(self)
        || (last != null && last - since > 0 && now - last < LeaseTable.SUSPECT_AFTER_NANOS);
  }
}
