package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * The right to write where callers write themselves. A thread that finds it free takes it; those
 * that wait get it in the order of asking. It waits by the log's clock. A thread that has it sees
 * what the thread before it did.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WriterMutex {
  private final StoreClock clock;
  private final AtomicBoolean held = new AtomicBoolean();
  private final Queue<Thread> waiters = new ConcurrentLinkedQueue<>();

  WriterMutex(StoreClock clock) {
    this.clock = clock;
  }

  /** Takes it; returns false if the time is up before, or the thread was interrupted. */
  boolean acquire(long timeoutNanos) {
    if (held.compareAndSet(false, true)) {
      return true;
    }
    Thread self = Thread.currentThread();
    long until = clock.nanoTime() + timeoutNanos;
    waiters.add(self);
    while (!self.equals(waiters.peek()) || !held.compareAndSet(false, true)) {
      long left = until - clock.nanoTime();
      if (left <= 0 || self.isInterrupted()) {
        boolean _ = waiters.remove(self);
        wakeFirst();
        return false;
      }
      clock.parkNanos(this, left);
    }
    boolean _ = waiters.remove(self);
    return true;
  }

  void release() {
    held.set(false);
    wakeFirst();
  }

  private void wakeFirst() {
    Thread first = waiters.peek();
    if (first != null) {
      LockSupport.unpark(first);
    }
  }
}
