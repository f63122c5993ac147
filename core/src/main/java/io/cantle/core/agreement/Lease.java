package io.cantle.core.agreement;

import io.cantle.core.base.Clock;
import io.cantle.core.base.ClockReading;
import io.cantle.core.ownership.Membership;
import io.cantle.core.transport.Member;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * This node's right to answer, granted by the voters. No other node serves in its place while a
 * majority of them has granted a request of this node within {@link #DURATION_NANOS}, measured from
 * the moment the request was made. The lease is checked <em>after</em> the data of an answer was
 * read, so that a pause in between voids the answer.
 *
 * <p>A machine may be suspended meanwhile, and its monotonic clock with it. So the time a lease has
 * lasted is the most that any clock has counted. And the time that voters have counted between two
 * renewals must have passed here as well. If it has not, no clock of this machine can be believed,
 * and the lease is acquired anew.
 *
 * <p>A member that leaves releases its lease, and no exclusion waits for it then. A release ends
 * with the membership that it was made in: a node that is admitted again acquires its lease anew.
 *
 * <p>A lease outlives a change of voters. Until it has run out, the new voters decide no exclusion
 * either (see {@link LeaseTable}).
 *
 * <p><b>Threading:</b> {@link #isHeld}, {@link #lapsedNanos} and {@link #releaseForGood} by any
 * thread; everything else under the lock of {@code TopologyDriver}.
 */
public final class Lease {
  /** How long a lease lasts from the moment it was requested. */
  public static final long DURATION_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The clocks of two nodes differ by less than the passed time divided by this. */
  static final int DRIFT_DIVISOR = 8;

  private final Clock clock;

  /** For each voter's node, when this node made the latest request that the voter has granted. */
  private final Map<UUID, ClockReading> grantedRequests = new TreeMap<>();

  private volatile Membership membership = Membership.NONE;
  private volatile boolean endless;
  private volatile boolean renounced;
  private volatile boolean released;
  private volatile boolean releasedForGood;

  /** All of these at once, for readers that check nothing else. */
  private volatile boolean heldEndlessly;

  /** When the longest-lasting lease was requested; null if there is none. */
  private volatile @Nullable ClockReading requestedAt;

  /** The topology that admitted this node to its present membership; 0 if it is not a member. */
  private long admissionNumber;

  /** Requests made until this moment count for nothing. */
  private @Nullable ClockReading distrustedUntil;

  private volatile ClockReading withoutLeaseSince;

  Lease(Clock clock) {
    this.clock = clock;
    this.withoutLeaseSince = clock.reading();
  }

  /** Whether an answer may be sent now. */
  public boolean isHeld() {
    return heldEndlessly || (!isReleased() && isValid());
  }

  /**
   * Whether an answer may be sent now and later, without looking at a clock: this node is the only
   * voter. What ends that is a later topology, or this node's own doing.
   */
  public boolean isHeldEndlessly() {
    return heldEndlessly;
  }

  /**
   * Whether this node has a lease, even if it has released it and will not answer any more: members
   * that leave together still decide together.
   */
  public boolean isValid() {
    if (renounced || endless) {
      return !renounced;
    }
    ClockReading last = requestedAt;
    return last != null && clock.maxElapsedNanos(last) < DURATION_NANOS;
  }

  /**
   * How long this node has been in a grid without a lease. The time of a suspension does not count,
   * because nothing could be heard then.
   */
  public long lapsedNanos() {
    if (endless || membership.members().isEmpty()) {
      return 0;
    }
    ClockReading last = requestedAt;
    return Math.max(
        0,
        last == null
            ? clock.minElapsedNanos(withoutLeaseSince)
            : clock.minElapsedNanos(last) - DURATION_NANOS);
  }

  /** Gives up answering until the next topology. */
  public void renounce() {
    renounced = true;
    heldEndlessly = false;
  }

  /** Gives up answering in this membership: this node leaves and owns nothing any more. */
  public void release() {
    released = true;
    heldEndlessly = false;
  }

  /** Gives up answering for good, also if this node is admitted again. */
  public void releaseForGood() {
    releasedForGood = true;
    heldEndlessly = false;
  }

  /** Whether this node has given up answering in this membership, or for good. */
  boolean isReleased() {
    return released || releasedForGood;
  }

  /** Makes the endless lease of an only voter one like any other. */
  public void limitDuration() {
    if (endless) {
      requestedAt = clock.reading();
      endless = false;
      heldEndlessly = false;
    }
  }

  /** Takes a topology's membership, whose voters may be new. */
  void onTopologyAdopted(Membership now, Member self) {
    if (now.votersSinceNumber() != membership.votersSinceNumber()) {
      grantedRequests.clear();
    }
    long admission = now.admissionNumber(self);
    // A node may miss the topology that excluded it, so two memberships are told apart by number.
    boolean isAnotherMembership = admission != admissionNumber;
    if (admission == 0 || isAnotherMembership) {
      grantedRequests.clear();
      requestedAt = null;
    }
    if (isAnotherMembership || membership.members().isEmpty()) {
      withoutLeaseSince = clock.reading();
    }
    admissionNumber = admission;
    membership = now;
    renounced = false;
    endless = now.voters().size() == 1 && now.voters().contains(self);
    if (released && admission != 0 && isAnotherMembership) {
      // The exclusion waited for no lease of the former membership. So a grant for a request that
      // was made in it must not give one now.
      distrustedUntil = clock.reading();
      released = false;
    }
    heldEndlessly = endless;
    if (isReleased()) {
      // Another thread may have released it meanwhile, and marks it only after that.
      heldEndlessly = false;
    }
  }

  /**
   * Records that a voter has granted a request.
   *
   * @param askedAt when this node made the request
   * @param selfGrants whether this node, if it votes, itself stands by the present voters
   */
  void onGranted(
      Member voter, Member self, ClockReading askedAt, long votersSince, boolean selfGrants) {
    ClockReading distrusted = distrustedUntil;
    if (votersSince != membership.votersSinceNumber()
        || !membership.isVoter(voter)
        || !membership.members().contains(self)
        || (distrusted != null && !askedAt.isAfter(distrusted))) {
      return;
    }
    // Grants are counted by node: two incarnations of one node are one voter.
    grantedRequests.merge(voter.nodeId(), askedAt, Lease::laterOf);
    int needed = membership.voters().size() / 2 + 1;
    if (selfGrants && membership.voters().contains(self)) {
      // This node grants its own request: it renounces before it takes part in its own exclusion.
      needed--;
    }
    grantedRequests.remove(self.nodeId());
    if (grantedRequests.size() < needed) {
      return;
    }
    List<ClockReading> latestFirst =
        grantedRequests.values().stream()
            .sorted(Comparator.comparingLong(clock::minElapsedNanos))
            .toList();
    ClockReading ofMajority = latestFirst.get(needed - 1);
    ClockReading last = requestedAt;
    requestedAt = last == null ? ofMajority : laterOf(last, ofMajority);
  }

  /**
   * Compares a voter's count of the time between two requests of this node with this node's clocks.
   * The first request was made before the voter began to count, and the second has been answered.
   * So at least as much time must have passed here, whatever the network did. If it has not, the
   * clocks of this machine stood still or are far too slow, and all requests until now count for
   * nothing.
   *
   * @param firstAsked when this node made the first request
   * @return how much time is missing here, or 0 if the voter's count can be true
   */
  long compareClocks(ClockReading firstAsked, long votersNanos) {
    long passed = clock.maxElapsedNanos(firstAsked);
    if (votersNanos - votersNanos / DRIFT_DIVISOR <= passed) {
      return 0;
    }
    distrustedUntil = clock.reading();
    grantedRequests.clear();
    requestedAt = null;
    withoutLeaseSince = clock.reading();
    return votersNanos - passed;
  }

  private static ClockReading laterOf(ClockReading one, ClockReading other) {
    return one.isAfter(other) ? one : other;
  }
}
