package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.log.Append;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.SyncPolicy;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a record into the log, and from there into the index: the log's thread puts it there,
 * before anybody is told, in the order of the log. So there is one number before which everything
 * is in the index.
 *
 * <p><b>Threading:</b> any thread submits; the log's thread applies.
 */
final class Submission {
  private final AppendLog log;
  private final Contents contents;
  private final SyncPolicy policy;
  private final StoreClock clock;
  private final Pace pace;

  private volatile long applied;
  private volatile @Nullable Throwable failure;

  Submission(Contents contents, SyncPolicy policy, StoreClock clock, Pace pace, long applied) {
    this.log = contents.log();
    this.contents = contents;
    this.policy = policy;
    this.clock = clock;
    this.pace = pace;
    this.applied = applied;
  }

  /** What a record does to the index. */
  interface Effect {
    Effect NONE =
        new Effect() {
          @Override
          public void apply(long lsn) {}

          @Override
          public void release() {}
        };

    /** It is in the log. Where there is a segment, its lock is to be taken. */
    void apply(long lsn);

    /** It is in the log, or will not be. */
    void release();
  }

  /**
   * Hands a record over.
   *
   * @param write is ended with it
   * @throws IllegalArgumentException if it is too long
   * @throws IOException if the log refuses it
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  void submit(
      LogRecord record, Durability durability, long timeoutNanos, StoreWrite write, Effect effect)
      throws IOException, InterruptedException {
    long start = clock.nanoTime();
    Append.Completion completion =
        new Append.Completion() {
          @Override
          public void appended(Append append) {
            Throwable why = null;
            try {
              applied(record, append.lsn(), effect);
            } catch (RuntimeException | Error e) {
              fail(e);
              why = e;
            }
            pace.took(clock.nanoTime() - start);
            write.end(why);
          }

          @Override
          public void failed(Append append, Throwable cause) {
            fail(cause);
            effect.release();
            write.end(cause);
          }
        };
    boolean handedOver = false;
    try {
      Append _ = log.submit(List.of(record), mustSync(durability), timeoutNanos, completion);
      handedOver = true;
    } finally {
      if (!handedOver) {
        effect.release();
      }
    }
  }

  private void applied(LogRecord record, long lsn, Effect effect) {
    StoredSegment segment =
        Records.isEntry(record.type()) || record.type() == Records.DROP
            ? contents.segment(record.cache(), record.segment())
            : null;
    if (segment == null) {
      effect.apply(lsn);
    } else {
      segment.lock.lock();
      try {
        effect.apply(lsn);
      } finally {
        segment.lock.unlock();
      }
    }
    effect.release();
    if (failure == null) {
      // Compaction goes no further than what is in the index.
      applied = lsn + 1;
    }
  }

  /** Whether the log has to be asked for more than it does anyway. */
  boolean mustSync(Durability durability) {
    return durability == Durability.SYNCED && !policy.isDurable();
  }

  /** What was appended to the log before this number is in the index. */
  long applied() {
    return applied;
  }

  /** What ended the store; null while it works. */
  @Nullable Throwable failure() {
    return failure;
  }

  private void fail(Throwable why) {
    if (failure == null) {
      failure = why;
    }
  }
}
