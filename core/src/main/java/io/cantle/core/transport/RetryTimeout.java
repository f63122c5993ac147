package io.cantle.core.transport;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How long an answer is waited for before the question is asked again: longer each time, because
 * what was not lost may be slow.
 *
 * <p><b>Threading:</b> one thread, the caller's.
 */
public final class RetryTimeout {
  private static final long INITIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(8);

  private final Clock clock;
  private long nextNanos = INITIAL_NANOS;

  /** Nothing was asked yet. */
  public RetryTimeout(Clock clock) {
    this.clock = clock;
  }

  /** Until when to wait this time, and no longer than until a deadline. */
  public long nextDeadline(long deadlineNanos) {
    long until = clock.nanoTime() + nextNanos;
    nextNanos = Math.min(nextNanos * 2, MAX_NANOS);
    return until - deadlineNanos < 0 ? until : deadlineNanos;
  }
}
