package io.cantle.core.transport;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How long an answer is waited for before the question is asked again: longer each time, because
 * what was not lost may be slow.
 *
 * <p><b>Threading:</b> one thread, the caller's.
 */
public final class Patience {
  private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST = TimeUnit.SECONDS.toNanos(8);

  private final Clock clock;
  private long next = FIRST;

  /** Nothing was asked yet. */
  public Patience(Clock clock) {
    this.clock = clock;
  }

  /** Until when to wait this time, and no longer than until a deadline. */
  public long until(long deadlineNanos) {
    long until = clock.nanoTime() + next;
    next = Math.min(next * 2, LONGEST);
    return until - deadlineNanos < 0 ? until : deadlineNanos;
  }
}
