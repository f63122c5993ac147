package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.ownership.Membership;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A voter's half of leases: when it last heard each member, and which exclusions it may therefore
 * not accept yet. It accepts a topology that excludes a member only {@link #EXCLUSION_WAIT_NANOS}
 * after the last lease it granted to that member. Each majority that grants leases shares a voter
 * with each majority that accepts a topology. So no lease of an excluded member is left when its
 * exclusion is decided.
 *
 * <p>When the voters change, the two majorities are of different sets. A voter that has accepted
 * new voters grants nothing in the name of the old ones any more. No voter accepts an exclusion
 * until {@link #EXCLUSION_WAIT_NANOS} after it learned that the voters are new: by then the leases
 * granted by the old ones have run out.
 *
 * <p>No record is kept of the leases that an earlier incarnation of this node granted. For the same
 * time after a start, it accepts no exclusion at all.
 *
 * <p>A wait is over when at least that much time has passed for sure. So all times here are of the
 * monotonic clock, which never runs ahead: a voter that was suspended waits longer than it need,
 * and a time of day that jumps shortens nothing.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class LeaseTable {
  /** The duration of a lease and an eighth of it, because clocks run at different speeds. */
  public static final long EXCLUSION_WAIT_NANOS =
      Lease.DURATION_NANOS + Lease.DURATION_NANOS / Lease.DRIFT_DIVISOR;

  /** After how long a silent member may be dead: twice the time between two renewals. */
  public static final long SUSPECT_AFTER_NANOS = Lease.DURATION_NANOS / 2;

  /** After how long a silent member is excluded, whatever the transport says. */
  static final long EXCLUDE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * A lease that was granted.
   *
   * @param requestedAt when the member requested it, by the member's clocks
   * @param grantedNanos when it was granted, by the clock of this node
   */
  record Grant(ClockReading requestedAt, long grantedNanos) {}

  private final Map<Member, Grant> lastGrants = new TreeMap<>();
  private final Map<Member, Long> heardNanos = new TreeMap<>();

  /** For each member that has released its lease, the topology that had admitted it. */
  private final Map<Member, Long> releasedAdmissions = new TreeMap<>();

  private long votersSinceNumber;
  private long votersLearnedNanos;
  private @Nullable Long startedNanos;

  /**
   * Records that this node has restarted, and that an earlier incarnation may have granted leases.
   */
  public void recordRestart(long now) {
    startedNanos = now;
  }

  /** Takes the membership of an adopted topology. A new member counts as heard now. */
  void onTopologyAdopted(Membership membership, long now) {
    if (membership.votersSinceNumber() != votersSinceNumber) {
      votersSinceNumber = membership.votersSinceNumber();
      votersLearnedNanos = now;
    }
    heardNanos
        .keySet()
        .removeIf(one -> !membership.members().contains(one) && !membership.isVoter(one));
    lastGrants.keySet().retainAll(membership.members());
    releasedAdmissions
        .entrySet()
        .removeIf(released -> membership.admissionNumber(released.getKey()) != released.getValue());
    membership.members().forEach(member -> heardNanos.putIfAbsent(member, now));
  }

  /** Records that a member was heard. */
  public void recordHeard(Member member, long now) {
    heardNanos.put(member, now);
  }

  /**
   * Records the grant of a lease.
   *
   * @param asked when the member requested it, by its own clocks
   * @return the grant before this one, or null if there was none
   */
  @Nullable Grant grant(Member member, ClockReading asked, long now) {
    return lastGrants.put(member, new Grant(asked, now));
  }

  /**
   * Records that a member has released its lease, whichever voter granted it. This counts as long
   * as the member is not admitted anew.
   *
   * @param admissionNumber the number of the topology that has admitted the member
   */
  void recordRelease(Member member, long admissionNumber) {
    releasedAdmissions.put(member, admissionNumber);
  }

  /** How long a member has not been heard. */
  public long silenceNanos(Member member, long now) {
    Long last = heardNanos.get(member);
    return last == null ? 0 : now - last;
  }

  /**
   * How long to wait before the exclusions may be accepted; 0 if they may be now.
   *
   * @param excluded the members to be excluded
   */
  long exclusionWaitNanos(List<Member> excluded, long now) {
    long wait = 0;
    Long started = startedNanos;
    for (Member member : excluded) {
      if (!releasedAdmissions.containsKey(member)) {
        wait = Math.max(wait, votersSinceNumber == 1 ? 0 : remainingNanos(votersLearnedNanos, now));
        wait = Math.max(wait, started == null ? 0 : remainingNanos(started, now));
        Grant last = lastGrants.get(member);
        wait = Math.max(wait, last == null ? 0 : remainingNanos(last.grantedNanos, now));
      }
    }
    return wait;
  }

  /** How much is left of a wait that began at this moment. */
  private static long remainingNanos(long since, long now) {
    return EXCLUSION_WAIT_NANOS - (now - since);
  }
}
