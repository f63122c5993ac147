package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets virtual threads wait for the log without a timer for each wait: to set and to cancel one
 * costs as much as all the rest of an append. While the disk is quick their ends come before any
 * time is up. As soon as it is not, those who wait are woken once and go on with timers: by the
 * writer if a batch took long, by a thread that looks now and then if the writer is stuck in one.
 *
 * <p>Whoever waits says so before it asks whether the disk is slow, and that it is slow is said
 * before it is looked who waits: so one of the two sees the other.
 *
 * <p><b>Threading:</b> any thread asks; the writer tells.
 */
final class WriterWatchdog {
  private static final long CHECK_INTERVAL_NANOS = Duration.ofMillis(50).toNanos();
  private static final long SLOW_BATCH_NANOS = Duration.ofMillis(20).toNanos();

  /** A stuck writer is found out after two periods. */
  private static final long MIN_TIMEOUT_NANOS = 4 * CHECK_INTERVAL_NANOS;

  /** Batches are half full at least, two and two, and each may have to begin a file. */
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
   * Nobody is watched yet.
   *
   * @param threads makes the thread that looks; null if all shall have timers
   */
  WriterWatchdog(
      AppendQueue queue, StoreClock clock, LogOptions options, @Nullable ThreadFactory threads) {
    this.queue = queue;
    this.clock = clock;
    this.batchBytes = options.batchBytes();
    // Where each append is a batch, the bytes before one do not tell how long they take.
    this.threads = options.policy() == SyncPolicy.ALWAYS ? null : threads;
  }

  /**
   * Whether the calling thread, which has handed something over and said that it waits without a
   * timer, may do so.
   *
   * @param bytes what it handed over
   */
  boolean mayWaitUntimed(int bytes, long timeoutNanos) {
    ThreadFactory makes = threads;
    if (makes == null || slow || ended || bytes == 0 || !Thread.currentThread().isVirtual()) {
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

  /** The writer goes to the disk, with these and all behind them. */
  void beginWrite(@Nullable PendingAppend writing) {
    writingAppend = writing;
    publishedStep = ++step;
  }

  /** The writer is back. */
  void endWrite(long nanos) {
    writingAppend = null;
    publishedStep = ++step;
    boolean isSlow = nanos > SLOW_BATCH_NANOS;
    if (slow != isSlow) {
      slow = isSlow;
    }
  }

  /** Whether those who wait are to be woken. */
  boolean isSlow() {
    return slow;
  }

  /** Nothing is written any more. */
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
        // The writer is stuck and changes neither; if it comes back now it looks after them itself.
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
