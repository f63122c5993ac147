package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write on its way into the store. It ends when it is as durable as was asked for; reads return
 * it from then on.
 *
 * <p><b>Threading:</b> any thread may query it; one at a time waits.
 */
public final class StoreWrite {
  private final StoreClock clock;
  private final AtomicReference<@Nullable Runnable> callback = new AtomicReference<>();
  private volatile @Nullable Thread waitingThread;
  private volatile boolean done;
  private volatile @Nullable Throwable failure;

  StoreWrite(StoreClock clock) {
    this.clock = clock;
  }

  /** Whether it has ended, with success or failure. */
  boolean isDone() {
    return done;
  }

  /** Why it may not be in the store; empty while it has not ended, and after success. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Sets a task to run at the end: on the store's thread, or on this one if the write has ended
   * already. The task must neither wait nor throw. To be called once.
   */
  public void whenDone(Runnable task) {
    if (!callback.compareAndSet(null, task)) {
      throw new IllegalStateException("a task to run at the end is set already");
    }
    if (done) {
      runCallback();
    }
  }

  /**
   * May run on the completing thread and on one that calls {@link #whenDone} at the same time; only
   * one of them gets the task.
   */
  private void runCallback() {
    Runnable task = callback.getAndSet(null);
    if (task != null) {
      task.run();
    }
  }

  /**
   * Waits for the end.
   *
   * @throws IOException if the store failed: the write may be in the store
   * @throws StoreException.TimedOut if the time was up: the write may still come into the store
   * @throws InterruptedException if the thread was interrupted: the write may still come into the
   *     store
   */
  public void await(long timeoutNanos) throws IOException, InterruptedException {
    if (!done) {
      waitingThread = Thread.currentThread();
      long until = clock.nanoTime() + timeoutNanos;
      while (!done) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for the store");
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
          throw new StoreException.TimedOut(
              "not in the store after %s ms; it may still be written"
                  .formatted(timeoutNanos / 1_000_000));
        }
        clock.parkNanos(this, left);
      }
    }
    Throwable cause = failure;
    if (cause != null) {
      throw new StoreException.Failed("it may not be in the store: " + cause.getMessage(), cause);
    }
  }

  void complete(@Nullable Throwable cause) {
    failure = cause;
    done = true;
    Thread thread = waitingThread;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
    runCallback();
  }
}
