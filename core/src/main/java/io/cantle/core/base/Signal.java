package io.cantle.core.base;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Something one thread waits for and others raise; raised once or often, it wakes once. Who waits
 * for several things to happen is woken by the last of them.
 *
 * <p><b>Threading:</b> any thread raises; one at a time waits.
 */
public final class Signal {
  private final AtomicInteger expected = new AtomicInteger();
  private volatile boolean raised;
  private volatile @Nullable Thread waiter;

  /** From now on so many raises are wanted before the waiting thread goes on. */
  public void expect(int raises) {
    expected.set(raises - 1);
  }

  /** Lets the waiting thread, or the next that waits, go on, if no more raises are expected. */
  public void raise() {
    if (expected.getAndDecrement() <= 0) {
      wake();
    }
  }

  /** Lets the waiting thread, or the next that waits, go on. */
  public void wake() {
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
