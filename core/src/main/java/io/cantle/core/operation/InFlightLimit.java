package io.cantle.core.operation;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * How many messages of one bulk call are in flight. Each of them ends by its own deadline.
 *
 * <p><b>Threading:</b> the caller, which creates it, begins messages and waits; any thread ends
 * them.
 */
final class InFlightLimit {
  /** The most messages of one call. */
  private static final int MAX_IN_FLIGHT = 6;

  private final Clock clock;
  private final Thread caller = Thread.currentThread();
  private final AtomicInteger inFlight = new AtomicInteger();

  InFlightLimit(Clock clock) {
    this.clock = clock;
  }

  /** Counts a message once there is room for it. */
  void begin() {
    awaitAtMost(MAX_IN_FLIGHT - 1);
    inFlight.incrementAndGet();
  }

  /** Counts the end of a message. */
  void end() {
    inFlight.decrementAndGet();
    LockSupport.unpark(caller);
  }

  /** Waits until no message is in flight any more. */
  void awaitNone() {
    awaitAtMost(0);
  }

  private void awaitAtMost(int maxInFlight) {
    boolean interrupted = false;
    while (inFlight.get() > maxInFlight) {
      clock.parkNanos(this, TimeUnit.HOURS.toNanos(1));
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
