package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One or more records on their way into the log, all of them or none. It is made by {@link
 * AppendLog#submit} and is its own place in the queue.
 *
 * <p>Whoever waits is written down before the state is looked at, and the log sets the state before
 * it looks who waits: so one of the two sees the other.
 *
 * <p><b>Threading:</b> any thread asks; one at a time waits.
 */
public final class Append {

  /** Is told once how an append ended, on the log's own thread: it must neither wait nor throw. */
  public interface Completion {
    /** It is in the log as the policy says. */
    void appended(Append append);

    /** It may not be in the log. */
    void failed(Append append, Throwable cause);
  }

  private static final int WAITING = 0;
  private static final int DONE = 1;
  private static final int FAILED = 2;

  final LogRecord[] records;
  final int[] checksums;
  final int bytes;
  final boolean mustSync;

  /** The next one in the queue; the log's. */
  @Nullable Append next;

  /** How many are in the queue up to this one. */
  int depth;

  private final @Nullable Completion completion;
  private volatile @Nullable Thread waiter;
  private volatile boolean hasNoTimer;
  private volatile int state;
  private long lsn;
  private @Nullable Throwable failure;

  Append(
      LogRecord[] records,
      int bytes,
      boolean mustSync,
      @Nullable Thread waiter,
      @Nullable Completion completion) {
    this.records = records;
    this.bytes = bytes;
    this.mustSync = mustSync;
    this.completion = completion;
    this.waiter = waiter;
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

  /** Whether it came to its end, well or not. */
  public boolean isEnded() {
    return state != WAITING;
  }

  /**
   * The number of its first record.
   *
   * @throws IllegalStateException if it is not in the log, or not yet
   */
  public long lsn() {
    if (state != DONE) {
      throw new IllegalStateException("not in the log" + (isEnded() ? "" : " yet"));
    }
    return lsn;
  }

  /**
   * The number of one of its records, 0 for the first.
   *
   * @throws IllegalStateException if it is not in the log, or not yet
   */
  public long lsn(int record) {
    long place = lsn();
    for (int index = 0; index < record; index++) {
      place += records[index].length();
    }
    return place;
  }

  /**
   * Waits until it is in the log as the policy says.
   *
   * @return the number of its first record
   * @throws LogException.Failed if the log failed
   * @throws LogException.Late if the time was up before; it may still come into the log
   * @throws InterruptedException if the thread was interrupted; it may still come into the log
   */
  long await(StoreClock clock, Watch watch, long timeoutNanos)
      throws LogException, InterruptedException {
    if (state == WAITING) {
      waiter = Thread.currentThread();
      long until = clock.nanoTime() + timeoutNanos;
      while (state == WAITING) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for the log");
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
          throw new LogException.Late(
              "not in the log after "
                  + timeoutNanos / 1_000_000
                  + " ms; whether it will be is not known");
        }
        hasNoTimer = true;
        if (watch.isWatched(bytes, left)) {
          clock.park(this);
        } else {
          hasNoTimer = false;
          clock.parkNanos(this, left);
        }
      }
    }
    Throwable why = failure;
    if (state == FAILED && why != null) {
      throw why instanceof LogException.Refused refused
          ? refused
          : new LogException.Failed("the append may not be in the log: " + why.getMessage(), why);
    }
    return lsn;
  }

  /** Wakes those of a queue that wait without a timer, so that they take one. */
  static void giveTimers(@Nullable Append first) {
    for (Append append = first; append != null; append = append.next) {
      Thread thread = append.waiter;
      if (append.hasNoTimer && thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Ends it; by the log's thread, or by the thread that found that it cannot begin. */
  void end(long firstLsn, @Nullable Throwable why) {
    lsn = firstLsn;
    failure = why;
    state = why == null ? DONE : FAILED;
    Thread thread = waiter;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
    if (completion != null) {
      if (why == null) {
        completion.appended(this);
      } else {
        completion.failed(this, why);
      }
    }
  }
}
