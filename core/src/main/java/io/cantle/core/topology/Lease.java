package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Moment;
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
 * within {@link #NANOS}, measured from the moment it asked, nobody serves in its place. It is
 * looked at <em>after</em> what is told was read, so that a pause in between voids the answer.
 *
 * <p>A machine may be suspended meanwhile, and its monotonic clock with it. So the time a lease has
 * lasted is the most that any clock has counted; and what voters have counted between two renewals
 * must have passed here as well, else no clock of this machine can be believed and the lease is
 * taken anew.
 *
 * <p>A lease outlives a change of voters: until it has run out, no exclusion is decided by the new
 * ones either (see {@link Grants}).
 *
 * <p><b>Threading:</b> {@link #held} and {@link #lapsedNanos} by any thread; everything else under
 * the lock of the keeper.
 */
public final class Lease {
  /** How long a lease lasts from the moment it was asked for. */
  static final long NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Clocks of two nodes differ by less than this part of the time that passes. */
  static final int DRIFT = 8;

  private final Clock clock;

  /** When the last request of this node was made that a voter has granted, by the voter's node. */
  private final Map<UUID, Moment> granted = new TreeMap<>();

  private volatile Membership membership = Membership.NONE;
  private volatile boolean endless;
  private volatile boolean renounced;
  private volatile boolean over;

  /** When the lease was asked for that lasts longest, or null. */
  private volatile @Nullable Moment asked;

  private boolean member;

  /** What was asked for until then counts for nothing. */
  private @Nullable Moment disbelievedUntil;

  private volatile Moment since;

  Lease(Clock clock) {
    this.clock = clock;
    this.since = clock.moment();
  }

  /** Whether an answer may leave now. */
  public boolean held() {
    return !over && lasts();
  }

  /**
   * Whether this node has a lease, be it that it will not answer any more: those that leave
   * together still decide together.
   */
  boolean lasts() {
    if (renounced || endless) {
      return !renounced;
    }
    Moment last = asked;
    return last != null && clock.mostElapsedNanos(last) < NANOS;
  }

  /**
   * For how long this node has been in a grid without it. A suspension does not count: nothing
   * could be heard then.
   */
  long lapsedNanos() {
    if (endless || membership.members().isEmpty()) {
      return 0;
    }
    Moment last = asked;
    return Math.max(
        0, last == null ? clock.leastElapsedNanos(since) : clock.leastElapsedNanos(last) - NANOS);
  }

  /** This node is about to agree to its own exclusion: it answers nothing until that is settled. */
  void renounce() {
    renounced = true;
  }

  /** This node, which leaves, owns nothing any more and will never answer again. */
  void giveUp() {
    over = true;
  }

  /** Whether it was given up. */
  boolean over() {
    return over;
  }

  /**
   * This node, the only voter, accepts others: its lease is one like any other from now on, before
   * anybody can hear of them.
   */
  void endsSometime() {
    if (endless) {
      asked = clock.moment();
      endless = false;
    }
  }

  /** The voters may have changed. */
  void adopted(Membership now, Member self) {
    if (now.votersSince() != membership.votersSince()) {
      granted.clear();
    }
    boolean is = now.members().contains(self);
    if (!is || !member) {
      granted.clear();
      asked = null;
    }
    if (is != member || membership.members().isEmpty()) {
      since = clock.moment();
    }
    member = is;
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
  void granted(Member voter, Member self, Moment askedAt, long votersSince, boolean selfGrants) {
    Moment disbelieved = disbelievedUntil;
    if (votersSince != membership.votersSince()
        || !membership.votes(voter)
        || !membership.members().contains(self)
        || (disbelieved != null && !askedAt.isAfter(disbelieved))) {
      return;
    }
    // By its node: two lives of one are one voter.
    granted.merge(voter.node(), askedAt, Lease::later);
    int needed = membership.voters().size() / 2 + 1;
    if (selfGrants && membership.voters().contains(self)) {
      // Before it takes part in its own exclusion it renounces.
      needed--;
    }
    granted.remove(self.node());
    if (granted.size() < needed) {
      return;
    }
    List<Moment> latestFirst =
        granted.values().stream()
            .sorted(Comparator.comparingLong(clock::leastElapsedNanos))
            .toList();
    Moment ofMajority = latestFirst.get(needed - 1);
    Moment last = asked;
    asked = last == null ? ofMajority : later(last, ofMajority);
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
  long compare(Moment firstAsked, long votersNanos) {
    long passed = clock.mostElapsedNanos(firstAsked);
    if (votersNanos - votersNanos / DRIFT <= passed) {
      return 0;
    }
    disbelievedUntil = clock.moment();
    granted.clear();
    asked = null;
    since = clock.moment();
    return votersNanos - passed;
  }

  private static Moment later(Moment one, Moment other) {
    return one.isAfter(other) ? one : other;
  }

  @Override
  public String toString() {
    return "lease " + (held() ? "held" : "not held") + granted.values();
  }
}
