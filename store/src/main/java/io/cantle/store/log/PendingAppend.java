package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One or more records on their way into the log, all of them or none. {@link AppendLog#submit}
 * makes it, and it is its own node in the queue.
 *
 * <p>A waiting thread registers before it looks at the state, and the log sets the state before it
 * looks for a waiting thread. So one of the two always sees the other.
 *
 * <p><b>Threading:</b> any thread may query it; one at a time waits.
 */
public final class PendingAppend {

  /**
   * Is called once with the outcome of an append, on the log's own thread. It must neither wait nor
   * throw.
   */
  public interface Completion {
    /** The append is in the log, as durable as the policy says. */
    void onAppended(PendingAppend append);

    /** The append may not be in the log. */
    void onFailed(PendingAppend append, Throwable cause);
  }

  private static final int WAITING = 0;
  private static final int DONE = 1;
  private static final int FAILED = 2;

  final LogRecord[] records;
  final int[] checksums;
  final int byteCount;
  final boolean mustSync;

  /** The next one in the queue; owned by the log. */
  @Nullable PendingAppend nextInQueue;

  /** How many appends are in the queue up to this one. */
  int queueDepth;

  private final @Nullable Completion completion;
  private volatile @Nullable Thread waitingThread;
  private volatile boolean waitsUntimed;
  private volatile int state;
  private long lsn;
  private @Nullable Throwable failure;

  PendingAppend(
      LogRecord[] records,
      int byteCount,
      boolean mustSync,
      @Nullable Thread waitingThread,
      @Nullable Completion completion) {
    this.records = records;
    this.byteCount = byteCount;
    this.mustSync = mustSync;
    this.completion = completion;
    this.waitingThread = waitingThread;
    this.checksums = new int[records.length];
    CRC32C crc = new CRC32C();
    for (int index = 0; index < records.length; index++) {
      LogRecord record = records[index];
      crc.reset();
      crc.update(record.key());
      crc.update(record.metadata());
      crc.update(record.value());
      checksums[index] = (int) crc.getValue();
    }
  }

  /** Whether it has ended, with success or failure. */
  public boolean isDone() {
    return state != WAITING;
  }

  /**
   * The LSN of its first record.
   *
   * @throws IllegalStateException if it is not in the log, or not yet
   */
  public long lsn() {
    if (state != DONE) {
      throw new IllegalStateException("not in the log" + (isDone() ? "" : " yet"));
    }
    return lsn;
  }

  /**
   * The LSN of one of its records, 0 for the first.
   *
   * @throws IllegalStateException if it is not in the log, or not yet
   */
  public long lsn(int record) {
    long place = lsn();
    for (int index = 0; index < record; index++) {
      place += records[index].paddedLength();
    }
    return place;
  }

  /**
   * Waits until it is in the log, as durable as the policy says.
   *
   * @return the LSN of its first record
   * @throws LogException.Failed if the log failed
   * @throws LogException.TimedOut if the time was up before; it may still come into the log
   * @throws InterruptedException if the thread was interrupted; it may still come into the log
   */
  long await(StoreClock clock, WriterWatchdog watchdog, long timeoutNanos)
      throws LogException, InterruptedException {
    if (state == WAITING) {
      waitingThread = Thread.currentThread();
      long until = clock.nanoTime() + timeoutNanos;
      while (state == WAITING) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for the log");
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
          throw new LogException.TimedOut(
              "not in the log after " + timeoutNanos / 1_000_000 + " ms; it may still be written");
        }
        waitsUntimed = true;
        if (watchdog.mayWaitUntimed(byteCount, left)) {
          clock.park(this);
        } else {
          waitsUntimed = false;
          clock.parkNanos(this, left);
        }
      }
    }
    Throwable cause = failure;
    if (state == FAILED && cause != null) {
      throw cause instanceof LogException.Refused refused
          ? refused
          : new LogException.Failed(
              "the append may not be in the log: " + cause.getMessage(), cause);
    }
    return lsn;
  }

  /** Wakes the threads of a queue that wait without a timer, so that they start one. */
  static void wakeUntimedWaiters(@Nullable PendingAppend first) {
    for (PendingAppend append = first; append != null; append = append.nextInQueue) {
      Thread thread = append.waitingThread;
      if (append.waitsUntimed && thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Completes it; called by the log's thread, or by the thread that found that it cannot begin. */
  void complete(long firstLsn, @Nullable Throwable cause) {
    lsn = firstLsn;
    failure = cause;
    state = cause == null ? DONE : FAILED;
    Thread thread = waitingThread;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
    if (completion != null) {
      if (cause == null) {
        completion.onAppended(this);
      } else {
        completion.onFailed(this, cause);
      }
    }
  }
}
