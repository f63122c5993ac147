package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;

/**
 * The writer of {@link LogStrategy.Simple}. The thread that appends writes its record and syncs it
 * before it returns, one thread at a time. So there is a sync for each record.
 *
 * <p><b>Threading:</b> any thread; the mutex guards the frame writer and the deque.
 */
final class SimpleLogWriter implements LogWriter {
  private final FrameWriter frames;
  private final WriterMutex mutex;
  private final ArrayDeque<PendingAppend> pending = new ArrayDeque<>(1);

  SimpleLogWriter(FrameWriter frames, StoreClock clock) {
    this.frames = frames;
    this.mutex = new WriterMutex(clock);
  }

  @Override
  public void start(ThreadFactory threads) {
    // The callers write.
  }

  @Override
  public void submit(PendingAppend append, long timeoutNanos)
      throws StoreException, InterruptedException {
    // An interrupted thread that writes would close the file.
    PendingAppend.throwIfInterrupted();
    if (!mutex.acquire(timeoutNanos)) {
      PendingAppend.throwIfInterrupted();
      throw new StoreException.AppendRefused(
          "other appends were being written for %s ms, the whole timeout"
              .formatted(timeoutNanos / 1_000_000));
    }
    try {
      if (frames.isEnded()) {
        throw new StoreException.AppendRefused("the log is closed");
      }
      pending.add(append);
      frames.writeAll(pending);
    } finally {
      mutex.release();
    }
  }

  @Override
  public boolean awaitEnd(PendingAppend append, long timeoutNanos) {
    return append.isEnded();
  }

  @Override
  public boolean close(long timeoutNanos) {
    if (!mutex.acquire(timeoutNanos)) {
      return false;
    }
    try {
      frames.close();
    } finally {
      mutex.release();
    }
    return true;
  }

  @Override
  public boolean step() {
    return !frames.isEnded();
  }
}
