package io.cantle.store;

import java.util.concurrent.locks.LockSupport;

/**
 * The clock of a store, handed in by its owner: a node gives its own clock, a test one that it
 * moves itself.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface StoreClock {

  /** A monotonic reading in nanoseconds; only differences are meaningful. */
  long nanoTime();

  /**
   * Parks the calling thread until it is unparked or the time is up. It may return early for no
   * reason, as {@link LockSupport} may, so the caller must check its condition again.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   * @param nanos the longest wait; returns at once if it is not positive
   */
  void parkNanos(Object blocker, long nanos);
}
