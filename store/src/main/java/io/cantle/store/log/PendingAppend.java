package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into the log. {@link AppendLog#submit} makes it, and it is its own node in
 * the queue.
 *
 * <p>A waiting thread registers before it looks at the state, and the log sets the state before it
 * looks for a waiting thread. So one of the two always sees the other.
 *
 * <p><b>Threading:</b> any thread may query it; one at a time waits.
 */
public final class PendingAppend {
  final LogRecord record;
  final int checksum;
  final int byteCount;

  /** The next one in the queue; owned by the log. */
  @Nullable PendingAppend nextInQueue;

  /** How many appends are in the queue up to this one. */
  int queueDepth;

  private final Consumer<PendingAppend> completion;
  private volatile @Nullable Thread waitingThread;
  private volatile boolean waitsUntimed;
  private volatile boolean done;
  private long lsn;
  private @Nullable Throwable failure;

  PendingAppend(LogRecord record, int byteCount, Consumer<PendingAppend> completion) {
    this.record = record;
    this.byteCount = byteCount;
    this.completion = completion;
    CRC32C crc = new CRC32C();
    crc.update(record.key());
    crc.update(record.metadata());
    crc.update(record.value());
    checksum = (int) crc.getValue();
  }

  /** Whether it has ended, with success or failure. */
  boolean isDone() {
    return done;
  }

  /** Why it may not be in the log; empty if it is there and durable, or has not ended. */
  public Optional<Throwable> failure() {
    return done ? Optional.ofNullable(failure) : Optional.empty();
  }

  /**
   * Its LSN.
   *
   * @throws IllegalStateException if it is not in the log, or not yet
   */
  public long lsn() {
    if (!done || failure != null) {
      throw new IllegalStateException("not in the log" + (done ? "" : " yet"));
    }
    return lsn;
  }

  /**
   * Waits until it is in the log and durable.
   *
   * @return its LSN
   * @throws StoreException.Failed if the log failed
   * @throws StoreException.TimedOut if the time was up before; it may still come into the log
   * @throws InterruptedException if the thread was interrupted; it may still come into the log
   */
  long await(StoreClock clock, WriterWatchdog watchdog, long timeoutNanos)
      throws StoreException, InterruptedException {
    if (!done) {
      waitingThread = Thread.currentThread();
      long until = clock.nanoTime() + timeoutNanos;
      while (!done) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for the log");
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
          throw new StoreException.TimedOut(
              "not in the log after " + timeoutNanos / 1_000_000 + " ms; it may still be written");
        }
        waitsUntimed = true;
        if (watchdog.mayWaitUntimed(left)) {
          clock.park(this);
        } else {
          waitsUntimed = false;
          clock.parkNanos(this, left);
        }
      }
    }
    Throwable cause = failure;
    if (cause != null) {
      throw cause instanceof StoreException.AppendRefused refused
          ? refused
          : new StoreException.Failed(
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
    done = true;
    Thread thread = waitingThread;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
    completion.accept(this);
  }
}
