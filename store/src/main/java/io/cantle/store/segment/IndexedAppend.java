package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.PendingAppend;
import java.io.IOException;
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

  /** The change that a record makes to the index. */
  interface IndexUpdate {
    /** The record is in the log. */
    void apply(long lsn);

    /** The record is in the log, or never will be. */
    default void release() {}
  }

  /**
   * Hands a record over.
   *
   * @param write completed with the outcome
   * @throws IllegalArgumentException if it is too long
   * @throws IOException if the log refuses it
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  void submit(LogRecord record, long timeoutNanos, StoreWrite write, IndexUpdate effect)
      throws IOException, InterruptedException {
    long start = clock.nanoTime();
    boolean handedOver = false;
    try {
      PendingAppend _ =
          log.submit(
              record,
              timeoutNanos,
              append -> {
                Throwable cause = append.failure().orElse(null);
                if (cause == null) {
                  try {
                    applyToIndex(append.lsn(), effect);
                  } catch (RuntimeException | Error e) {
                    cause = e;
                  }
                  throttle.recordAppend(clock.nanoTime() - start);
                } else {
                  effect.release();
                }
                if (cause != null) {
                  fail(cause);
                }
                write.complete(cause);
              });
      handedOver = true;
    } finally {
      if (!handedOver) {
        effect.release();
      }
    }
  }

  private void applyToIndex(long lsn, IndexUpdate effect) {
    effect.apply(lsn);
    effect.release();
    if (failure == null) {
      // Compaction goes no further than what is in the index.
      appliedLsn = lsn + 1;
    }
  }

  /** The LSN before which the whole log is in the index. */
  long appliedLsn() {
    return appliedLsn;
  }

  /** What ended the store; null while it works. */
  @Nullable Throwable failure() {
    return failure;
  }

  private void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }
}
