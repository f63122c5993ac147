package io.cantle.store.segment;

import io.cantle.store.StoreClock;

/**
 * Keeps compaction from slowing down those who write. It knows how long an append takes while
 * nothing is compacted, and how long it takes now: when that is more than twice as long, compaction
 * rests for as long as it worked, or several times that.
 *
 * <p><b>Threading:</b> any thread tells how long an append took; one compacts.
 */
final class Pace {
  private static final double SHARE = 1.0 / 32;
  private static final int MOST_RESTS = 4;
  private static final long LONGEST_NANOS = 200_000_000;

  private final StoreClock clock;
  private volatile double quietNanos;
  private volatile double busyNanos;
  private volatile boolean working;
  private volatile boolean urgent;
  private long sinceNanos;

  Pace(StoreClock clock) {
    this.clock = clock;
  }

  /** An append took so long. Two at the same time may count as one. */
  void took(long nanos) {
    if (working) {
      busyNanos = averaged(busyNanos, nanos);
    } else {
      quietNanos = averaged(quietNanos, nanos);
    }
  }

  private static double averaged(double before, long nanos) {
    return before == 0 ? nanos : before + (nanos - before) * SHARE;
  }

  /**
   * Compaction begins.
   *
   * @param isUrgent whether it must not rest, because there is too much to do
   */
  void begin(boolean isUrgent) {
    urgent = isUrgent;
    busyNanos = 0;
    working = true;
    sinceNanos = clock.nanoTime();
  }

  /** Compaction ended. */
  void end() {
    working = false;
  }

  /** Rests after some bytes were written, if that is needed. */
  void pause(int bytes) {
    double quiet = quietNanos;
    double busy = busyNanos;
    long worked = clock.nanoTime() - sinceNanos;
    if (bytes > 0 && !urgent && quiet > 0 && busy > 2 * quiet) {
      long rests = Math.min(MOST_RESTS, (long) (busy / quiet) - 1);
      clock.parkNanos(this, Math.min(LONGEST_NANOS, worked * rests));
    }
    sinceNanos = clock.nanoTime();
  }
}
