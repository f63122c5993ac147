package io.cantle.core.agreement;

import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The leader's record of members that can be heard and yet hold others up. One kind is a member
 * that hears no majority and so has no lease. The other is one of a pair that cannot reach each
 * other although the voters reach both. The leader excludes such a member only if that ends all the
 * trouble and leaves no segment without an owner. Where several would have to go, as in a ring of
 * broken links, it excludes none.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
final class MemberHealth {
  /**
   * How long a complaint counts. A member that still has reason to complain repeats it more often.
   */
  private static final long COMPLAINT_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an excluded member may not be admitted again: at first, and at most. */
  private static final long MIN_BAN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long MAX_BAN_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** A ban is forgotten this long after it began if no other exclusion followed. */
  private static final long BAN_MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private record Ban(long beganNanos, long durationNanos) {}

  private final Map<Member, Long> unleasedSinceNanos = new HashMap<>();
  private final Map<Member, Map<Member, Long>> complaints = new TreeMap<>();
  private final Map<Member, Ban> bans = new HashMap<>();
  private long leasedSinceNanos;
  private boolean leased;

  /**
   * Records whether this node itself has a lease. Without one, this node may be the impaired one.
   */
  void recordOwnLease(boolean isLeased, long now) {
    if (isLeased && !leased) {
      leasedSinceNanos = now;
    }
    leased = isLeased;
  }

  /** Records that a member reported whether it has a lease. */
  void recordLease(Member member, boolean isLeased, long now) {
    if (isLeased) {
      unleasedSinceNanos.remove(member);
    } else {
      unleasedSinceNanos.putIfAbsent(member, now);
    }
  }

  /** Records that a member reported another one that has not answered it for a long time. */
  void recordComplaint(Member from, Member about, long now) {
    complaints.computeIfAbsent(from, m -> new HashMap<>()).put(about, now);
  }

  /**
   * Forgets everything about nodes that are no longer members, except the bans of the last minute:
   * they keep a node from being admitted, and make its next ban longer.
   */
  void onTopologyAdopted(Topology topology, long now) {
    bans.values().removeIf(ban -> now - ban.beganNanos >= BAN_MEMORY_NANOS);
    unleasedSinceNanos.keySet().retainAll(topology.members());
    complaints.keySet().retainAll(topology.members());
    complaints.values().forEach(about -> about.keySet().retainAll(topology.members()));
  }

  /** Whether a node that asks to be admitted may be; false while it is banned. */
  boolean mayJoin(Member member, long now) {
    Ban ban = bans.get(member);
    return ban == null || now - ban.beganNanos >= ban.durationNanos;
  }

  /**
   * Records that the exclusion of a member that can be heard was proposed, which bans it for a
   * time.
   */
  void recordExclusion(Member member, long now) {
    Ban ban = bans.get(member);
    if (ban == null) {
      bans.put(member, new Ban(now, MIN_BAN_NANOS));
    } else if (now - ban.beganNanos >= ban.durationNanos) {
      bans.put(member, new Ban(now, Math.min(2 * ban.durationNanos, MAX_BAN_NANOS)));
    }
  }

  /** Returns the member to exclude, or null if there is none. */
  @Nullable Member chooseExclusion(Topology current, Member self, long now) {
    if (!leased || now - leasedSinceNanos < LeaseTable.EXCLUDE_AFTER_NANOS) {
      return null;
    }
    for (Member member : current.members().reversed()) {
      Long since = unleasedSinceNanos.get(member);
      if (since != null
          && now - Math.max(since, leasedSinceNanos) >= LeaseTable.EXCLUDE_AFTER_NANOS
          && isDispensable(current, member)) {
        return member;
      }
    }
    List<Set<Member>> pairs = disconnectedPairs(now);
    for (Member member : current.members().reversed()) {
      if (!pairs.isEmpty()
          && !member.equals(self)
          && pairs.stream().allMatch(pair -> pair.contains(member))
          && isDispensable(current, member)) {
        return member;
      }
    }
    return null;
  }

  private List<Set<Member>> disconnectedPairs(long now) {
    List<Set<Member>> pairs = new ArrayList<>();
    complaints.forEach(
        (from, about) -> {
          about.values().removeIf(at -> now - at > COMPLAINT_VALID_NANOS);
          about.keySet().forEach(to -> pairs.add(Set.of(from, to)));
        });
    return pairs;
  }

  /** Whether no segment needs this member: as its only owner, or for second copies. */
  private static boolean isDispensable(Topology current, Member member) {
    return current.segments().allMatch(segment -> segment.isServedWithout(member));
  }
}
