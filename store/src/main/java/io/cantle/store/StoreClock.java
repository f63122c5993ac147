package io.cantle.store;

import java.util.concurrent.locks.LockSupport;

/**
 * The time a store lives by, handed in by its owner: a node gives its own clock, a test one that it
 * moves itself.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface StoreClock {

  /** A monotonic reading in nanoseconds; only differences mean anything. */
  long nanoTime();

  /**
   * Parks the calling thread until it is unparked, the time is up, or for no reason at all, as
   * {@link LockSupport} does: the caller looks at its condition again.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   * @param nanos the longest wait; nothing happens when it is not positive
   */
  void parkNanos(Object blocker, long nanos);

  /**
   * Parks the calling thread until it is unparked, or for no reason at all. A clock of the
   * machine's time does that without a timer, which costs a virtual thread much.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   */
  default void park(Object blocker) {
    parkNanos(blocker, Long.MAX_VALUE);
  }
}
