package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets virtual threads wait for the log without a timer for each wait, because setting and
 * cancelling a timer costs as much as all the rest of an append. While the disk is quick, waits end
 * before their time is up. As soon as the disk is slow, the waiting threads are woken once and
 * continue with timers. The writer wakes them if a batch took long; a thread that checks now and
 * then wakes them if the writer is stuck in a batch.
 *
 * <p>A waiting thread registers before it asks whether the disk is slow, and the disk is marked
 * slow before the waiting threads are looked up. So one of the two always sees the other.
 *
 * <p><b>Threading:</b> any thread asks; the writer reports.
 */
final class WriterWatchdog {
  private static final long CHECK_INTERVAL_NANOS = Duration.ofMillis(50).toNanos();
  private static final long SLOW_BATCH_NANOS = Duration.ofMillis(20).toNanos();

  /** A stuck writer is noticed after two intervals. */
  private static final long MIN_TIMEOUT_NANOS = 4 * CHECK_INTERVAL_NANOS;

  /**
   * Every two successive batches are at least half full on average, and each may have to begin a
   * file.
   */
  private static final int STEPS_PER_FULL_BATCH = 4;

  private static final int MAX_IDLE_CHECKS = 20;

  private final AppendQueue queue;
  private final StoreClock clock;
  private final int batchBytes;
  private final @Nullable ThreadFactory threads;
  private final AtomicBoolean started = new AtomicBoolean();

  /** Odd while the writer is at the disk. */
  private volatile long publishedStep;

  private volatile boolean slow;
  private volatile boolean ended;
  private volatile @Nullable Thread sleepingWatcher;
  private @Nullable PendingAppend writingAppend;
  private long step;

  /**
   * Makes a watchdog; its thread starts with the first untimed wait.
   *
   * @param threads makes the thread that checks; null if all waits are to have timers
   */
  WriterWatchdog(
      AppendQueue queue, StoreClock clock, int batchBytes, @Nullable ThreadFactory threads) {
    this.queue = queue;
    this.clock = clock;
    this.batchBytes = batchBytes;
    this.threads = threads;
  }

  /**
   * Whether the calling thread may wait without a timer. It must have handed its append over, and
   * have registered as waiting without a timer.
   */
  boolean mayWaitUntimed(long timeoutNanos) {
    ThreadFactory makes = threads;
    if (makes == null || slow || ended || !Thread.currentThread().isVirtual()) {
      return false;
    }
    long ahead = STEPS_PER_FULL_BATCH * (queue.queuedBytes() / batchBytes + 1);
    if (timeoutNanos < MIN_TIMEOUT_NANOS + ahead * SLOW_BATCH_NANOS) {
      return false;
    }
    if (!started.get() && started.compareAndSet(false, true)) {
      Thread thread = makes.newThread(this::watchWriter);
      thread.setName("cantle-log-watch");
      thread.start();
    }
    wake();
    return true;
  }

  /** The writer starts a write of these appends; all others come after it. */
  void beginWrite(@Nullable PendingAppend writing) {
    writingAppend = writing;
    publishedStep = ++step;
  }

  /** The writer has finished a write. */
  void endWrite(long nanos) {
    writingAppend = null;
    publishedStep = ++step;
    boolean isSlow = nanos > SLOW_BATCH_NANOS;
    if (slow != isSlow) {
      slow = isSlow;
    }
  }

  /** Whether the waiting threads are to be woken. */
  boolean isSlow() {
    return slow;
  }

  /** The writer has ended. */
  void close() {
    ended = true;
    wake();
  }

  private void wake() {
    Thread thread = sleepingWatcher;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  private void watchWriter() {
    long seen = -1;
    int idle = 0;
    while (!ended) {
      clock.parkNanos(this, CHECK_INTERVAL_NANOS);
      long now = publishedStep;
      if (now % 2 != 0 && now == seen) {
        slow = true;
        // The stuck writer changes neither list; if it returns now, it wakes the threads itself.
        PendingAppend.wakeUntimedWaiters(writingAppend);
        PendingAppend.wakeUntimedWaiters(queue.top());
      }
      idle = now == seen && isIdle() ? idle + 1 : 0;
      seen = now;
      if (idle >= MAX_IDLE_CHECKS) {
        idle = 0;
        sleepingWatcher = Thread.currentThread();
        if (isIdle() && !ended) {
          clock.park(this);
        }
        sleepingWatcher = null;
      }
    }
  }

  private boolean isIdle() {
    return queue.queuedBytes() == 0;
  }
}
