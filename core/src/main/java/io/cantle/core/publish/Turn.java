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
final class Turn {
  static final long NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Looks that are further apart are too far apart. */
  private static final long APART = NANOS / 64;

  private static final int MOST_STEPS = 512;

  private final Clock clock;
  private final BooleanSupplier unwanted;
  private final LongSupplier nanos;
  private boolean begun;
  private boolean over;
  private long end;
  private long lastLook;
  private int steps = 1;
  private int untilLook;

  Turn(Clock clock, BooleanSupplier unwanted) {
    this(clock, unwanted, () -> NANOS);
  }

  /**
   * A turn that has not begun.
   *
   * @param nanos how long it may last, asked when it begins
   */
  Turn(Clock clock, BooleanSupplier unwanted, LongSupplier nanos) {
    this.clock = clock;
    this.unwanted = unwanted;
    this.nanos = nanos;
  }

  /** Whether to stop; asked once for each entry. */
  boolean over() {
    return --untilLook <= 0 && look();
  }

  private boolean look() {
    long now = clock.nanoTime();
    if (!begun) {
      begun = true;
      end = now + nanos.getAsLong();
    } else {
      steps = now - lastLook < APART ? Math.min(steps * 2, MOST_STEPS) : Math.max(steps / 2, 1);
    }
    lastLook = now;
    over |= now - end >= 0 || unwanted.getAsBoolean();
    untilLook = over ? 0 : steps;
    return over;
  }
}
