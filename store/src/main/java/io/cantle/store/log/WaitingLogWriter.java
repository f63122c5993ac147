package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The writer of {@link LogStrategy.Waiting}. A caller queues its record and waits a little. If it
 * is still queued then, the caller takes the whole queue and writes it with one sync. A caller that
 * finds the queue long enough does so at once. The next queue fills while one is written.
 *
 * <p><b>Threading:</b> any thread; the mutex guards the frame writer.
 */
final class WaitingLogWriter implements LogWriter {
  private final int limit;
  private final long delayNanos;
  private final FrameWriter frames;
  private final AppendQueue queue;
  private final StoreClock clock;
  private final WriterMutex mutex;

  /** How many threads may have taken appends that they have not written yet. */
  private final AtomicInteger takers = new AtomicInteger();

  WaitingLogWriter(
      LogStrategy.Waiting strategy, FrameWriter frames, AppendQueue queue, StoreClock clock) {
    this.limit = strategy.limit();
    this.delayNanos = strategy.delay().toNanos();
    this.frames = frames;
    this.queue = queue;
    this.clock = clock;
    this.mutex = new WriterMutex(clock);
  }

  @Override
  public void start(ThreadFactory threads) {
    // The callers write.
  }

  @Override
  public void submit(PendingAppend append, long timeoutNanos)
      throws StoreException, InterruptedException {
    queue.submit(append, timeoutNanos);
    if (queue.depth() >= limit) {
      writeQueued();
    }
  }

  @Override
  public boolean awaitEnd(PendingAppend append, long timeoutNanos) throws InterruptedException {
    try {
      if (append.parkUntilEnd(clock, Math.min(delayNanos, timeoutNanos))) {
        return true;
      }
    } finally {
      // Also after an interrupt: no other thread need come to write it.
      if (!append.isTaken) {
        writeQueued();
      }
    }
    return append.parkUntilEnd(clock, timeoutNanos);
  }

  /** Takes the queue and writes it on this thread. */
  private void writeQueued() {
    takers.incrementAndGet();
    try {
      PendingAppend first = queue.takeAll();
      if (first != null) {
        for (PendingAppend at = first; at != null; at = at.nextInQueue) {
          at.isTaken = true;
        }
        // Others wait for what was taken, so this waits for its turn whatever comes. An interrupt
        // would close the file, so its mark is put aside.
        boolean interrupted = Thread.interrupted();
        while (!mutex.acquire(Long.MAX_VALUE)) {
          interrupted |= Thread.interrupted();
        }
        try {
          write(first);
        } finally {
          mutex.release();
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
        }
      }
    } finally {
      if (takers.decrementAndGet() == 0) {
        queue.wakeRoomWaiters();
      }
    }
  }

  /** Writes appends that were taken; the caller has the mutex. */
  private void write(@Nullable PendingAppend first) {
    ArrayDeque<PendingAppend> batch = new ArrayDeque<>();
    long bytes = 0;
    for (PendingAppend at = first; at != null; at = at.nextInQueue) {
      bytes += at.byteCount;
      batch.add(at);
    }
    frames.writeAll(batch);
    Throwable failure = frames.failure();
    if (failure != null) {
      for (PendingAppend at = queue.close(); at != null; at = at.nextInQueue) {
        batch.add(at);
      }
      frames.fail(failure, batch);
    }
    queue.release(bytes);
  }

  @Override
  public boolean close(long timeoutNanos) {
    long until = clock.nanoTime() + timeoutNanos;
    while (!frames.isEnded()) {
      if (!mutex.acquire(until - clock.nanoTime())) {
        return false;
      }
      try {
        write(queue.close());
        if (takers.get() == 0) {
          frames.close();
        }
      } finally {
        mutex.release();
      }
      long left = until - clock.nanoTime();
      if (left <= 0 && !frames.isEnded()) {
        return false;
      }
      queue.awaitWriterEnd(() -> takers.get() == 0, left);
    }
    return true;
  }

  @Override
  public boolean step() {
    writeQueued();
    return !frames.isEnded();
  }
}
