package io.cantle.core.base;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Something one thread waits for and others raise; raised once or often, it wakes once.
 *
 * <p><b>Threading:</b> any thread raises; one at a time waits.
 */
public final class Signal {
  private volatile boolean raised;
  private volatile @Nullable Thread waiter;

  /** Lets the waiting thread, or the next that waits, go on. */
  public void raise() {
    raised = true;
    LockSupport.unpark(waiter);
  }

  /**
   * Waits until it is raised, and lowers it again.
   *
   * @return false when the time was up, or the thread was interrupted, first
   */
  public boolean await(Clock clock, long nanos) {
    long until = clock.nanoTime() + nanos;
    waiter = Thread.currentThread();
    try {
      while (!raised) {
        long left = until - clock.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
          return false;
        }
        clock.parkNanos(this, left);
      }
      raised = false;
      return true;
    } finally {
      waiter = null;
    }
  }
}
