package io.cantle.core.transport;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How long to wait for a response before the request is sent again. The time doubles with each
 * attempt, because a request that was not lost may be slow.
 *
 * <p><b>Threading:</b> one thread, the caller's.
 */
public final class RetryTimeout {
  private static final long INITIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(8);

  private final Clock clock;
  private long nextNanos = INITIAL_NANOS;

  /** Creates the timeout of a request that was not sent yet. */
  public RetryTimeout(Clock clock) {
    this.clock = clock;
  }

  /** Returns the time until which to wait for this attempt, at most a deadline. */
  public long nextDeadline(long deadlineNanos) {
    long until = clock.nanoTime() + nextNanos;
    nextNanos = Math.min(nextNanos * 2, MAX_NANOS);
    return until - deadlineNanos < 0 ? until : deadlineNanos;
  }
}
