package io.cantle.store.segment;

import io.cantle.store.StoreClock;

/**
 * Keeps compaction from slowing down appends. It compares how long an append takes now with how
 * long it takes while nothing is compacted. When that is more than twice as long, compaction rests
 * for as long as it worked, or several times that.
 *
 * <p><b>Threading:</b> any thread reports how long an append took; one compacts.
 */
final class CompactionThrottle implements AutoCloseable {
  private static final double SMOOTHING = 1.0 / 32;
  private static final int MAX_REST_FACTOR = 4;
  private static final long MAX_REST_NANOS = 200_000_000;

  private final StoreClock clock;
  private volatile double quietNanos;
  private volatile double busyNanos;
  private volatile boolean working;
  private volatile boolean urgent;
  private long workStartNanos;

  CompactionThrottle(StoreClock clock) {
    this.clock = clock;
  }

  /** Records how long an append took. Of two calls at the same time, one may get lost. */
  void recordAppend(long nanos) {
    if (working) {
      busyNanos = smoothed(busyNanos, nanos);
    } else {
      quietNanos = smoothed(quietNanos, nanos);
    }
  }

  private static double smoothed(double before, long nanos) {
    return before == 0 ? nanos : before + (nanos - before) * SMOOTHING;
  }

  /**
   * Compaction begins.
   *
   * @param isUrgent whether it must not rest, because there is too much to do
   * @return this, to be closed at the end
   */
  CompactionThrottle beginCompaction(boolean isUrgent) {
    urgent = isUrgent;
    busyNanos = 0;
    working = true;
    workStartNanos = clock.nanoTime();
    return this;
  }

  /** Compaction ended. */
  @Override
  public void close() {
    working = false;
  }

  /** Rests after some bytes were written, if that is needed. */
  void restIfNeeded(int bytes) {
    double quiet = quietNanos;
    double busy = busyNanos;
    long worked = clock.nanoTime() - workStartNanos;
    if (bytes > 0 && !urgent && quiet > 0 && busy > 2 * quiet) {
      long rests = Math.min(MAX_REST_FACTOR, (long) (busy / quiet) - 1);
      clock.parkNanos(this, Math.min(MAX_REST_NANOS, worked * rests));
    }
    workStartNanos = clock.nanoTime();
  }
}
