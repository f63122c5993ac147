package io.cantle.core.base;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A wake-up that one thread waits for and others raise. Raising it several times wakes the waiter
 * once. A thread that waits for several events calls {@link #expect} first and is woken by the last
 * of them.
 *
 * <p><b>Threading:</b> any thread raises; one at a time waits.
 */
public final class Signal {
  private final AtomicInteger expected = new AtomicInteger();
  private volatile boolean raised;
  private volatile @Nullable Thread waiter;

  /** Sets how many times the signal must be raised before the waiting thread wakes. */
  public void expect(int raises) {
    expected.set(raises - 1);
  }

  /** Counts one event. Wakes the thread that waits now or next, if no more are expected. */
  public void raise() {
    if (expected.getAndDecrement() <= 0) {
      wake();
    }
  }

  /** Wakes the thread that waits now or next, whatever is still expected. */
  public void wake() {
    raised = true;
    LockSupport.unpark(waiter);
  }

  /**
   * Waits until the signal is raised, and resets it.
   *
   * @return false if the time was up, or the thread was interrupted, first
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
