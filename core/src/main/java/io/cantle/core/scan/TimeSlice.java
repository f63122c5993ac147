package io.cantle.core.scan;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The time that an owner works on a request before it answers with what it has: about a second,
 * less while other requests wait for a worker, and no longer than the answer is wanted. A scan of
 * hours is therefore a series of answers that each make progress, and an abandoned scan soon costs
 * nothing. The slice reads the clock after one entry, then at growing intervals while entries take
 * no time, because a function may take long.
 *
 * <p><b>Threading:</b> one thread.
 */
final class TimeSlice {
  static final long MAX_SLICE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Checks of the clock that are further apart than this are made more often. */
  private static final long MAX_CHECK_GAP_NANOS = MAX_SLICE_NANOS / 64;

  private static final int MAX_STEPS = 512;

  private final Clock clock;
  private final BooleanSupplier unwanted;
  private final LongSupplier sliceNanos;
  private boolean started;
  private boolean ended;
  private long endNanos;
  private long lastCheckNanos;
  private int steps = 1;
  private int stepsUntilCheck;

  /**
   * A time slice that has not started.
   *
   * @param sliceNanos how long it may last, read when it starts
   */
  TimeSlice(Clock clock, BooleanSupplier unwanted, LongSupplier sliceNanos) {
    this.clock = clock;
    this.unwanted = unwanted;
    this.sliceNanos = sliceNanos;
  }

  /** Whether to stop. To be called once for each entry. */
  boolean isOver() {
    return --stepsUntilCheck <= 0 && checkClock();
  }

  private boolean checkClock() {
    long now = clock.nanoTime();
    if (!started) {
      started = true;
      endNanos = now + sliceNanos.getAsLong();
    } else {
      steps =
          now - lastCheckNanos < MAX_CHECK_GAP_NANOS
              ? Math.min(steps * 2, MAX_STEPS)
              : Math.max(steps / 2, 1);
    }
    lastCheckNanos = now;
    ended |= now - endNanos >= 0 || unwanted.getAsBoolean();
    stepsUntilCheck = ended ? 0 : steps;
    return ended;
  }
}
