package io.cantle.core.base;

/**
 * The only source of time. Every timed wait of the core goes through {@link #parkNanos}, so that a
 * simulation can run a whole cluster on a simulated clock.
 *
 * <p>No clock of a machine measures elapsed time reliably. The monotonic clock may stop while the
 * machine is suspended, and the time of day may jump. Where safety depends on time, the caller
 * chooses the error that does no harm. The holder of a right that expires uses {@link
 * #maxElapsedNanos}. A node that waits for another node's right to expire uses {@link
 * #minElapsedNanos}.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Clock {
  /**
   * A monotonic reading in nanoseconds. Only differences between readings are meaningful. It may
   * stop while the machine is suspended, and never runs ahead.
   */
  long nanoTime();

  /**
   * The time of day in milliseconds since 1970, UTC, as this machine knows it. It may differ from
   * that of other machines and may jump either way. Only two things may depend on it: which of two
   * writes counts as the later one, and that a lease ends early when the time jumps ahead.
   */
  long wallMillis();

  /**
   * A monotonic reading in nanoseconds that advances while the machine is suspended. It is always 0
   * on a machine that has no such clock.
   */
  default long bootNanos() {
    return 0;
  }

  /** Reads all clocks now, as a point in time to measure from. */
  default ClockReading reading() {
    return new ClockReading(nanoTime(), wallMillis(), bootNanos());
  }

  /**
   * The most time that can have passed since a reading, see {@link ClockReading#maxNanosTo}. Use it
   * where stopping too late would do harm.
   */
  default long maxElapsedNanos(ClockReading since) {
    return since.maxNanosTo(reading());
  }

  /**
   * The least time that has passed since a reading: never too long, and too short if the machine
   * was suspended in between. Use it where starting too early would do harm.
   */
  default long minElapsedNanos(ClockReading since) {
    return nanoTime() - since.monotonicNanos();
  }

  /**
   * Parks the calling thread until it is unparked or the time is up. It may also return for no
   * reason, as {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} does, so the
   * caller re-checks its condition in a loop.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   * @param nanos the longest wait in nanoseconds; the call returns at once if it is not positive
   */
  void parkNanos(Object blocker, long nanos);

  /** Parks the calling thread until the time is up, even if it is woken earlier. */
  default void sleepNanos(Object blocker, long nanos) {
    long until = nanoTime() + nanos;
    for (long left; (left = until - nanoTime()) > 0; ) {
      parkNanos(blocker, left);
    }
  }

  /**
   * Runs a task once after a delay, on a thread that must not be blocked.
   *
   * @param delayNanos the delay in nanoseconds, 0 or more
   * @return a handle that cancels the task if it has not started
   */
  Timer schedule(long delayNanos, Runnable task);

  /** A scheduled task that can be cancelled. */
  interface Timer {
    /** Cancels the task. Does nothing if it has run or was cancelled already. */
    void cancel();
  }
}
