package io.cantle.core.base;

/**
 * The only source of time. Every timed wait of the core goes through {@link #parkNanos}, so that a
 * simulation can run a whole cluster on a clock of its own.
 *
 * <p>No clock of a machine tells for sure how much time has passed. The monotonic one stands still
 * while the machine is suspended; the time of day jumps. So where safety depends on time, the
 * caller says which error does no harm: who holds a right for a limited time goes by {@link
 * #maxElapsedNanos}, who waits until the right of another is over goes by {@link #minElapsedNanos}.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Clock {
  /**
   * A monotonic reading in nanoseconds; only differences mean anything. It may stand still while
   * the machine is suspended, and never runs ahead.
   */
  long nanoTime();

  /**
   * The time of day in milliseconds since 1970, UTC, as this machine believes it: it may differ
   * from that of others and jump either way. Nothing may depend on it but which of two writes is
   * called the later one, and that a lease ends early when it jumps ahead.
   */
  long wallMillis();

  /**
   * A monotonic reading in nanoseconds that goes on while the machine is suspended; always 0 where
   * there is none.
   */
  default long bootNanos() {
    return 0;
  }

  /** This moment, to measure from. */
  default ClockReading reading() {
    return new ClockReading(nanoTime(), wallMillis(), bootNanos());
  }

  /**
   * The most that can have passed since a moment, see {@link ClockReading#maxNanosTo}: whoever must
   * stop in time goes by it.
   */
  default long maxElapsedNanos(ClockReading since) {
    return since.maxNanosTo(reading());
  }

  /**
   * The least that has passed since a moment, see {@link ClockReading#minNanosTo}: whoever must not
   * begin too early goes by it.
   */
  default long minElapsedNanos(ClockReading since) {
    return since.minNanosTo(reading());
  }

  /**
   * Parks the calling thread until it is unparked, the time is up, or for no reason at all, as
   * {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} does: the caller
   * re-checks its condition in a loop.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   * @param nanos the longest wait; nothing happens when it is not positive
   */
  void parkNanos(Object blocker, long nanos);

  /** Parks the calling thread until the time is up, whatever wakes it before. */
  default void sleepNanos(Object blocker, long nanos) {
    long until = nanoTime() + nanos;
    for (long left; (left = until - nanoTime()) > 0; ) {
      parkNanos(blocker, left);
    }
  }

  /**
   * Runs a task once after a delay, on a thread that must not be kept waiting.
   *
   * @param delayNanos the delay, 0 or more
   * @return a handle that cancels the task if it has not started
   */
  Timer schedule(long delayNanos, Runnable task);

  /** A scheduled task that may be called off. */
  interface Timer {
    /** Calls the task off; does nothing when it has run or was cancelled. */
    void cancel();
  }
}
