package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Moment;
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
 * topology that excludes a member is accepted only {@link #WAIT_NANOS} after the last lease granted
 * to it here. As each majority that grants meets each majority that accepts, no lease of an
 * excluded member is left when its exclusion is decided.
 *
 * <p>When the voters change, both majorities are of different sets. A voter that has accepted new
 * voters grants nothing in the name of the old ones any more, and nobody accepts an exclusion until
 * {@link #WAIT_NANOS} after it learned that the voters are new: what the old ones granted has run
 * out by then.
 *
 * <p>What an earlier life of this node has granted nobody remembers: for so long after a start no
 * exclusion is accepted at all.
 *
 * <p>All these waits are over when at least so much time has passed for sure: a voter that was
 * suspended waits longer than it need, and a time of day that jumps shortens nothing.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Grants {
  /** A lease and an eighth, for clocks of different speed. */
  static final long WAIT_NANOS = Lease.NANOS + Lease.NANOS / Lease.DRIFT;

  /** Who has been silent for so long, twice the time between two renewals, may be dead. */
  static final long DOUBT_NANOS = Lease.NANOS / 2;

  /** Who has been silent for so long is excluded, whatever the transport says. */
  static final long EXCLUDE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * A lease that was granted.
   *
   * @param asked when it was asked for, by the member's clocks
   * @param at when it was granted, by the clocks of this node
   */
  record Grant(Moment asked, Moment at) {}

  private final Clock clock;
  private final Map<Member, Grant> granted = new TreeMap<>();
  private final Map<Member, Long> heard = new TreeMap<>();
  private final Set<Member> over = new TreeSet<>();
  private long votersSince;
  private Moment votersLearned;
  private @Nullable Moment startedAt;

  Grants(Clock clock) {
    this.clock = clock;
    this.votersLearned = clock.moment();
  }

  /** This is another life of a node that may have granted leases. */
  void restarted() {
    startedAt = clock.moment();
  }

  /** A topology was adopted: who is new counts as heard of now. */
  void adopted(Membership membership) {
    long now = clock.nanoTime();
    if (membership.votersSince() != votersSince) {
      votersSince = membership.votersSince();
      votersLearned = clock.moment();
    }
    heard.keySet().removeIf(one -> !membership.members().contains(one) && !membership.votes(one));
    granted.keySet().retainAll(membership.members());
    over.retainAll(membership.members());
    membership.members().forEach(member -> heard.putIfAbsent(member, now));
  }

  /** A member has shown that it is there. */
  void heard(Member member) {
    heard.put(member, clock.nanoTime());
  }

  /**
   * A lease is granted.
   *
   * @param asked when the member asked for it, by its own clocks
   * @return the one granted to it before, or null
   */
  @Nullable Grant grant(Member member, Moment asked) {
    return granted.put(member, new Grant(asked, clock.moment()));
  }

  /** How much time has passed for sure since a lease was granted. */
  long ageNanos(Grant grant) {
    return clock.leastElapsedNanos(grant.at);
  }

  /** A member has given its lease up for good, whoever granted it. */
  void givenUp(Member member) {
    over.add(member);
  }

  /** For how long nothing was heard of a member. */
  long silence(Member member) {
    long now = clock.nanoTime();
    Long last = heard.get(member);
    return last == null ? 0 : now - last;
  }

  /**
   * How long to wait before exclusions may be accepted; 0 for not at all.
   *
   * @param excluded who is to be excluded
   */
  long waitNanos(List<Member> excluded) {
    long wait = 0;
    Moment started = startedAt;
    for (Member member : excluded) {
      if (!over.contains(member)) {
        wait = Math.max(wait, votersSince == 1 ? 0 : leftNanos(votersLearned));
        wait = Math.max(wait, started == null ? 0 : leftNanos(started));
        Grant last = granted.get(member);
        wait = Math.max(wait, last == null ? 0 : leftNanos(last.at));
      }
    }
    return wait;
  }

  /** How much is left of the wait that began at a moment. */
  private long leftNanos(Moment since) {
    return WAIT_NANOS - clock.leastElapsedNanos(since);
  }
}
