package io.cantle.core.operation;

import io.cantle.core.base.Clock;
import io.cantle.core.topology.TopologyDriver;
import java.util.concurrent.TimeUnit;

/**
 * The delay between attempts of a call that was refused. It grows with each attempt, and a new
 * topology ends it early.
 *
 * <p><b>Threading:</b> one thread, the caller's.
 */
public final class Backoff {
  private static final long INITIAL_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

  private final Clock clock;
  private final TopologyDriver topologyDriver;
  private long nextNanos = INITIAL_NANOS;

  /** Creates a backoff before the first attempt. */
  public Backoff(Clock clock, TopologyDriver topologyDriver) {
    this.clock = clock;
    this.topologyDriver = topologyDriver;
  }

  /**
   * Waits, at most until the deadline, unless a topology later than {@code seenNumber} is known.
   */
  public void awaitNextTry(long seenNumber, long deadlineNanos) {
    long until = Math.min(clock.nanoTime() + nextNanos, deadlineNanos);
    nextNanos = Math.min(nextNanos * 2, MAX_NANOS);
    while (topologyDriver.current().number() <= seenNumber
        && !Thread.currentThread().isInterrupted()) {
      long left = until - clock.nanoTime();
      if (left <= 0) {
        return;
      }
      clock.parkNanos(this, left);
    }
  }
}
