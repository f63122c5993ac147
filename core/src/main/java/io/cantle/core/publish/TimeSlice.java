package io.cantle.core.publish;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long an owner works before it answers with what it has: about a second, less when others wait
 * for their turn, or nobody wants the answer any more. So a scan that takes hours is made of
 * answers that each are progress, and one that is given up soon costs nothing. It looks at the
 * clock after one entry, then after ever more as long as they take no time, for functions may take
 * long.
 *
 * <p><b>Threading:</b> one thread.
 */
final class TimeSlice {
  static final long MAX_SLICE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Looks that are further apart are too far apart. */
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

  TimeSlice(Clock clock, BooleanSupplier unwanted) {
    this(clock, unwanted, () -> MAX_SLICE_NANOS);
  }

  /**
   * A turn that has not begun.
   *
   * @param sliceNanos how long it may last, asked when it begins
   */
  TimeSlice(Clock clock, BooleanSupplier unwanted, LongSupplier sliceNanos) {
    this.clock = clock;
    this.unwanted = unwanted;
    this.sliceNanos = sliceNanos;
  }

  /** Whether to stop; asked once for each entry. */
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
