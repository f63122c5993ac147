package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.ClockReading;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A voter's half of leases: when it last heard of whom, and what it may therefore not accept yet. A
 * topology that excludes a member is accepted only {@link #EXCLUSION_WAIT_NANOS} after the last
 * lease granted to it here. As each majority that grants meets each majority that accepts, no lease
 * of an excluded member is left when its exclusion is decided.
 *
 * <p>When the voters change, both majorities are of different sets. A voter that has accepted new
 * voters grants nothing in the name of the old ones any more, and nobody accepts an exclusion until
 * {@link #EXCLUSION_WAIT_NANOS} after it learned that the voters are new: what the old ones granted
 * has run out by then.
 *
 * <p>What an earlier life of this node has granted nobody remembers: for so long after a start no
 * exclusion is accepted at all.
 *
 * <p>All these waits are over when at least so much time has passed for sure: a voter that was
 * suspended waits longer than it need, and a time of day that jumps shortens nothing.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class LeaseTable {
  /** A lease and an eighth, for clocks of different speed. */
  static final long EXCLUSION_WAIT_NANOS =
      Lease.DURATION_NANOS + Lease.DURATION_NANOS / Lease.DRIFT_DIVISOR;

  /** Who has been silent for so long, twice the time between two renewals, may be dead. */
  static final long SUSPECT_AFTER_NANOS = Lease.DURATION_NANOS / 2;

  /** Who has been silent for so long is excluded, whatever the transport says. */
  static final long EXCLUDE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * A lease that was granted.
   *
   * @param requestedAt when it was asked for, by the member's clocks
   * @param grantedAt when it was granted, by the clocks of this node
   */
  record Grant(ClockReading requestedAt, ClockReading grantedAt) {}

  private final Clock clock;
  private final Map<Member, Grant> lastGrants = new TreeMap<>();
  private final Map<Member, Long> heardNanos = new TreeMap<>();
  private final Set<Member> releasedMembers = new TreeSet<>();
  private long votersSinceNumber;
  private ClockReading votersLearnedAt;
  private @Nullable ClockReading startedAt;

  LeaseTable(Clock clock) {
    this.clock = clock;
    this.votersLearnedAt = clock.reading();
  }

  /** This is another life of a node that may have granted leases. */
  void recordRestart() {
    startedAt = clock.reading();
  }

  /** A topology was adopted: who is new counts as heard of now. */
  void onTopologyAdopted(Membership membership) {
    long now = clock.nanoTime();
    if (membership.votersSinceNumber() != votersSinceNumber) {
      votersSinceNumber = membership.votersSinceNumber();
      votersLearnedAt = clock.reading();
    }
    heardNanos
        .keySet()
        .removeIf(one -> !membership.members().contains(one) && !membership.isVoter(one));
    lastGrants.keySet().retainAll(membership.members());
    releasedMembers.retainAll(membership.members());
    membership.members().forEach(member -> heardNanos.putIfAbsent(member, now));
  }

  /** A member has shown that it is there. */
  void recordHeard(Member member) {
    heardNanos.put(member, clock.nanoTime());
  }

  /**
   * A lease is granted.
   *
   * @param asked when the member asked for it, by its own clocks
   * @return the one granted to it before, or null
   */
  @Nullable Grant grant(Member member, ClockReading asked) {
    return lastGrants.put(member, new Grant(asked, clock.reading()));
  }

  /** How much time has passed for sure since a lease was granted. */
  long ageNanos(Grant grant) {
    return clock.minElapsedNanos(grant.grantedAt);
  }

  /** A member has given its lease up for good, whoever granted it. */
  void recordRelease(Member member) {
    releasedMembers.add(member);
  }

  /** For how long nothing was heard of a member. */
  long silenceNanos(Member member) {
    long now = clock.nanoTime();
    Long last = heardNanos.get(member);
    return last == null ? 0 : now - last;
  }

  /**
   * How long to wait before exclusions may be accepted; 0 for not at all.
   *
   * @param excluded who is to be excluded
   */
  long exclusionWaitNanos(List<Member> excluded) {
    long wait = 0;
    ClockReading started = startedAt;
    for (Member member : excluded) {
      if (!releasedMembers.contains(member)) {
        wait = Math.max(wait, votersSinceNumber == 1 ? 0 : remainingWaitNanos(votersLearnedAt));
        wait = Math.max(wait, started == null ? 0 : remainingWaitNanos(started));
        Grant last = lastGrants.get(member);
        wait = Math.max(wait, last == null ? 0 : remainingWaitNanos(last.grantedAt));
      }
    }
    return wait;
  }

  /** How much is left of the wait that began at a moment. */
  private long remainingWaitNanos(ClockReading since) {
    return EXCLUSION_WAIT_NANOS - clock.minElapsedNanos(since);
  }
}
