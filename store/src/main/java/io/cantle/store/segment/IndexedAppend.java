package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogRecord;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to the log and puts them into the index. The log's thread puts them there in the
 * order of the log, before any write is completed. So there is one LSN before which everything is
 * in the index.
 *
 * <p><b>Threading:</b> any thread submits; the log's thread applies.
 */
final class IndexedAppend {
  private final AppendLog log;
  private final StoreClock clock;
  private final CompactionThrottle throttle;

  private volatile long appliedLsn;
  private volatile @Nullable Throwable failure;

  IndexedAppend(AppendLog log, StoreClock clock, CompactionThrottle throttle, long appliedLsn) {
    this.log = log;
    this.clock = clock;
    this.throttle = throttle;
    this.appliedLsn = appliedLsn;
  }

  /**
   * Hands a record over.
   *
   * @param effect what the record changes in the index, once it is in the log with this LSN
   * @param release runs when the record is in the log and in the index, or never will be
   * @throws IllegalArgumentException if it is too long
   * @throws IOException if the log refuses it
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  StoreWrite submit(LogRecord record, long timeoutNanos, LongConsumer effect, Runnable release)
      throws IOException, InterruptedException {
    StoreWrite write = new StoreWrite(clock);
    long start = clock.nanoTime();
    try {
      log.submit(
          record,
          timeoutNanos,
          lsn -> {
            Throwable cause = null;
            try {
              applyToIndex(lsn, effect, release);
            } catch (RuntimeException | Error e) {
              cause = e;
            }
            throttle.recordAppend(clock.nanoTime() - start);
            complete(write, cause);
          },
          cause -> {
            release.run();
            complete(write, cause);
          });
      return write;
    } catch (Throwable e) {
      release.run();
      throw e;
    }
  }

  private void applyToIndex(long lsn, LongConsumer effect, Runnable release) {
    effect.accept(lsn);
    release.run();
    if (failure == null) {
      // Compaction goes no further than what is in the index.
      appliedLsn = lsn + 1;
    }
  }

  private void complete(StoreWrite write, @Nullable Throwable cause) {
    if (cause != null && failure == null) {
      failure = cause;
    }
    write.complete(cause);
  }

  /** The LSN before which the whole log is in the index. */
  long appliedLsn() {
    return appliedLsn;
  }

  /** What ended the store; null while it works. */
  @Nullable Throwable failure() {
    return failure;
  }
}
