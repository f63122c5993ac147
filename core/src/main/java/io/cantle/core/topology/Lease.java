package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.ClockReading;
import io.cantle.core.transport.Member;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * This node's right to answer. Voters grant it; while a majority of them has heard of this node
 * within {@link #DURATION_NANOS}, measured from the moment it asked, nobody serves in its place. It
 * is looked at <em>after</em> what is told was read, so that a pause in between voids the answer.
 *
 * <p>A machine may be suspended meanwhile, and its monotonic clock with it. So the time a lease has
 * lasted is the most that any clock has counted; and what voters have counted between two renewals
 * must have passed here as well, else no clock of this machine can be believed and the lease is
 * taken anew.
 *
 * <p>A lease outlives a change of voters: until it has run out, no exclusion is decided by the new
 * ones either (see {@link LeaseTable}).
 *
 * <p><b>Threading:</b> {@link #isHeld} and {@link #lapsedNanos} by any thread; everything else
 * under the lock of the keeper.
 */
public final class Lease {
  /** How long a lease lasts from the moment it was asked for. */
  static final long DURATION_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Clocks of two nodes differ by less than this part of the time that passes. */
  static final int DRIFT_DIVISOR = 8;

  private final Clock clock;

  /** When the last request of this node was made that a voter has granted, by the voter's node. */
  private final Map<UUID, ClockReading> grantedRequests = new TreeMap<>();

  private volatile Membership membership = Membership.NONE;
  private volatile boolean endless;
  private volatile boolean renounced;
  private volatile boolean released;

  /** When the lease was asked for that lasts longest, or null. */
  private volatile @Nullable ClockReading requestedAt;

  private boolean member;

  /** What was asked for until then counts for nothing. */
  private @Nullable ClockReading distrustedUntil;

  private volatile ClockReading withoutLeaseSince;

  Lease(Clock clock) {
    this.clock = clock;
    this.withoutLeaseSince = clock.reading();
  }

  /** Whether an answer may leave now. */
  public boolean isHeld() {
    return !released && isValid();
  }

  /**
   * Whether this node has a lease, be it that it will not answer any more: those that leave
   * together still decide together.
   */
  boolean isValid() {
    if (renounced || endless) {
      return !renounced;
    }
    ClockReading last = requestedAt;
    return last != null && clock.maxElapsedNanos(last) < DURATION_NANOS;
  }

  /**
   * For how long this node has been in a grid without it. A suspension does not count: nothing
   * could be heard then.
   */
  long lapsedNanos() {
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

  /** This node is about to agree to its own exclusion: it answers nothing until that is settled. */
  void renounce() {
    renounced = true;
  }

  /** This node, which leaves, owns nothing any more and will never answer again. */
  void release() {
    released = true;
  }

  /** Whether it was given up. */
  boolean isReleased() {
    return released;
  }

  /**
   * This node, the only voter, accepts others: its lease is one like any other from now on, before
   * anybody can hear of them.
   */
  void limitDuration() {
    if (endless) {
      requestedAt = clock.reading();
      endless = false;
    }
  }

  /** The voters may have changed. */
  void onTopologyAdopted(Membership now, Member self) {
    if (now.votersSinceNumber() != membership.votersSinceNumber()) {
      grantedRequests.clear();
    }
    boolean isMember = now.members().contains(self);
    if (!isMember || !member) {
      grantedRequests.clear();
      requestedAt = null;
    }
    if (isMember != member || membership.members().isEmpty()) {
      withoutLeaseSince = clock.reading();
    }
    member = isMember;
    membership = now;
    renounced = false;
    endless = now.voters().size() == 1 && now.voters().contains(self);
  }

  /**
   * A voter has granted what was asked for.
   *
   * @param askedAt when this node asked
   * @param selfGrants whether this node, if it votes, stands by the present voters itself
   */
  void onGranted(
      Member voter, Member self, ClockReading askedAt, long votersSince, boolean selfGrants) {
    ClockReading disbelieved = distrustedUntil;
    if (votersSince != membership.votersSinceNumber()
        || !membership.isVoter(voter)
        || !membership.members().contains(self)
        || (disbelieved != null && !askedAt.isAfter(disbelieved))) {
      return;
    }
    // By its node: two lives of one are one voter.
    grantedRequests.merge(voter.nodeId(), askedAt, Lease::laterOf);
    int needed = membership.voters().size() / 2 + 1;
    if (selfGrants && membership.voters().contains(self)) {
      // Before it takes part in its own exclusion it renounces.
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
   * A voter has counted so much time between two requests of this node. The first was made before
   * that, and the second has been answered: so at least as much must have passed here, whatever the
   * network did. If it has not, the clocks of this machine stood still or are far too slow, and
   * what was asked for until now counts for nothing.
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

  @Override
  public String toString() {
    return "lease " + (isHeld() ? "held" : "not held") + grantedRequests.values();
  }
}
