package io.cantle.store.library;

import io.cantle.store.StoreClock;
import java.util.concurrent.locks.LockSupport;

/**
 * The time of this process.
 *
 * <p><b>Threading:</b> any thread.
 */
record LogClock() implements StoreClock {
  /** A wait this long has no end that anything could notice. */
  private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    if (nanos >= FOREVER_NANOS) {
      // Without a timer, which costs a virtual thread as much as the rest of an append.
      LockSupport.park(blocker);
    } else {
      LockSupport.parkNanos(blocker, nanos);
    }
  }
}
