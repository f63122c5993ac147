package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into the log, which is its own node in the queue. Without a record it is a
 * <em>barrier</em>: it ends once everything before it is durable.
 *
 * <p><b>Threading:</b> the thread that appends makes it and may wait for its end. The fields of the
 * queue are the queue's, then those of the thread that took it; that thread also ends it.
 */
final class PendingAppend {
  private static final LogRecord NO_RECORD = LogRecord.of((byte) 1, new byte[0], new byte[0]);

  final LogRecord record;
  final int checksum;
  final int byteCount;
  final LongConsumer onDurable;
  final Consumer<Throwable> onFailure;

  /** The next one in the queue. */
  @Nullable PendingAppend nextInQueue;

  /** How many appends are in the queue up to this one. */
  int queueDepth;

  /** Whether a thread has taken it to write it. */
  volatile boolean isTaken;

  private long lsn;
  private @Nullable Throwable failure;
  private volatile boolean isEnded;
  private volatile @Nullable Thread waiter;

  PendingAppend(
      LogRecord record, int byteCount, LongConsumer onDurable, Consumer<Throwable> onFailure) {
    this.record = record;
    this.byteCount = byteCount;
    this.onDurable = onDurable;
    this.onFailure = onFailure;
    CRC32C crc = new CRC32C();
    crc.update(record.key());
    crc.update(record.metadata());
    crc.update(record.value());
    checksum = (int) crc.getValue();
  }

  /** An append that nothing but a waiting thread is told of. */
  static PendingAppend of(LogRecord record, int byteCount) {
    return new PendingAppend(record, byteCount, _ -> {}, _ -> {});
  }

  /** A barrier that nothing but a waiting thread is told of. */
  static PendingAppend barrier() {
    return of(NO_RECORD, 0);
  }

  static PendingAppend barrier(LongConsumer onDurable, Consumer<Throwable> onFailure) {
    return new PendingAppend(NO_RECORD, 0, onDurable, onFailure);
  }

  boolean isBarrier() {
    return byteCount == 0;
  }

  /** Ends it: it is in the log, at this LSN. */
  void complete(long place) {
    lsn = place;
    end();
    onDurable.accept(place);
  }

  /** Ends it: it may not be in the log. */
  void fail(Throwable cause) {
    failure = cause;
    end();
    onFailure.accept(cause);
  }

  private void end() {
    isEnded = true;
    Thread waiting = waiter;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  boolean isEnded() {
    return isEnded;
  }

  /** Parks the thread that appended until the end, or the time is up; returns whether it ended. */
  boolean parkUntilEnd(StoreClock clock, long timeoutNanos) throws InterruptedException {
    if (isEnded) {
      return true;
    }
    waiter = Thread.currentThread();
    long until = clock.nanoTime() + timeoutNanos;
    while (!isEnded) {
      long left = until - clock.nanoTime();
      if (left <= 0) {
        return false;
      }
      clock.parkNanos(this, left);
      throwIfInterrupted();
    }
    return true;
  }

  static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException(
          "interrupted before the log was done; the record may be in it");
    }
  }

  /**
   * The LSN of an append that has ended.
   *
   * @throws StoreException.Failed if it failed
   */
  long lsn() throws StoreException.Failed {
    Throwable cause = failure;
    if (cause != null) {
      throw new StoreException.Failed(
          "the log failed, so the record may not be in it: " + cause.getMessage(), cause);
    }
    return lsn;
  }
}
