package io.cantle.core.operate;

import io.cantle.core.base.Clock;
import io.cantle.core.topology.TopologyKeeper;
import java.util.concurrent.TimeUnit;

/**
 * Between two tries of a call that was refused: a little longer each time, cut short by a new
 * topology.
 *
 * <p><b>Threading:</b> one thread, the caller's.
 */
public final class Pause {
  private static final long FIRST = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(32);

  private final Clock clock;
  private final TopologyKeeper topologies;
  private long next = FIRST;

  /** No try was made yet. */
  public Pause(Clock clock, TopologyKeeper topologies) {
    this.clock = clock;
    this.topologies = topologies;
  }

  /** Waits, at most until the deadline, unless a topology later than {@code seen} is there. */
  public void await(long seen, long deadlineNanos) {
    long until = Math.min(clock.nanoTime() + next, deadlineNanos);
    next = Math.min(next * 2, LONGEST);
    while (topologies.current().number() <= seen && !Thread.currentThread().isInterrupted()) {
      long left = until - clock.nanoTime();
      if (left <= 0) {
        return;
      }
      clock.parkNanos(this, left);
    }
  }
}
