package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * This node's right to answer. Voters grant it; while a majority of them has heard of this node
 * within {@link #NANOS}, measured from the moment it asked, nobody serves in its place. It is
 * looked at <em>after</em> what is told was read, so that a pause in between voids the answer.
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

  private final Clock clock;
  private final Map<UUID, Long> granted = new TreeMap<>();

  private volatile Membership membership = Membership.NONE;
  private volatile boolean endless;
  private volatile boolean renounced;
  private volatile boolean over;
  private volatile boolean begun;
  private volatile long end;
  private boolean member;
  private volatile long since;

  Lease(Clock clock) {
    this.clock = clock;
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
    return !renounced && (endless || (begun && clock.nanoTime() - end < 0));
  }

  /** For how long this node has been in a grid without it. */
  long lapsedNanos() {
    if (endless || membership.members().isEmpty()) {
      return 0;
    }
    return Math.max(0, clock.nanoTime() - (begun ? end : since));
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
      end = clock.nanoTime() + NANOS;
      begun = true;
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
      begun = false;
    }
    if (is != member || membership.members().isEmpty()) {
      since = clock.nanoTime();
    }
    member = is;
    membership = now;
    renounced = false;
    endless = now.voters().size() == 1 && now.voters().contains(self);
  }

  /**
   * A voter has granted what was asked for at {@code sentNanos}.
   *
   * @param selfGrants whether this node, if it votes, stands by the present voters itself
   */
  void granted(Member voter, Member self, long sentNanos, long votersSince, boolean selfGrants) {
    if (votersSince != membership.votersSince()
        || !membership.votes(voter)
        || !membership.members().contains(self)) {
      return;
    }
    // By its node: two lives of one are one voter.
    granted.merge(voter.node(), sentNanos, (old, now) -> now - old > 0 ? now : old);
    int needed = membership.voters().size() / 2 + 1;
    if (selfGrants && membership.voters().contains(self)) {
      // Before it takes part in its own exclusion it renounces.
      needed--;
    }
    granted.remove(self.node());
    if (granted.size() < needed) {
      return;
    }
    long now = clock.nanoTime();
    long[] ages = granted.values().stream().mapToLong(sent -> now - sent).sorted().toArray();
    long until = now - ages[needed - 1] + NANOS;
    if (!begun || until - end > 0) {
      end = until;
      begun = true;
    }
  }

  @Override
  public String toString() {
    return "lease " + (held() ? "held" : "not held") + Arrays.toString(granted.values().toArray());
  }
}
