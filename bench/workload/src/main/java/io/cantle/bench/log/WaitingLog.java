package io.cantle.bench.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log of the 2013 mail in which writers wait for one another. A writer puts its record into the
 * queue and waits a little. If its record is still there then, it writes and syncs the whole queue
 * and wakes those whose records it wrote. A writer that finds the queue long enough does so at
 * once. The best limit is the number of writers, which has to be guessed.
 *
 * <p><b>Threading:</b> any thread. The queue is guarded by this object, the file by its own lock
 * (taken second), a batch by itself (nothing is taken under it).
 */
final class WaitingLog implements LogUnderTest {
  private final LogFile file;
  private final Object fileLock = new Object();
  private final int limit;
  private final long waitNanos;
  private Batch queue = new Batch();
  private int unwritten;
  private boolean closed;

  /**
   * Creates a log on an empty file.
   *
   * @param limit with this many records in the queue, no writer waits for more
   * @param waitMillis how long a writer waits for others
   */
  WaitingLog(LogFile file, int limit, int waitMillis) {
    this.file = file;
    this.limit = limit;
    waitNanos = TimeUnit.MILLISECONDS.toNanos(waitMillis);
  }

  @Override
  public void append(byte[] record) throws IOException, InterruptedException {
    Batch batch;
    boolean taken;
    synchronized (this) {
      if (closed) {
        throw new IOException("closed");
      }
      batch = queue;
      batch.records.add(record);
      taken = batch.records.size() >= limit && takeBatch(batch);
    }
    if (!taken && !batch.await(waitNanos)) {
      taken = takeBatch(batch);
    }
    if (taken) {
      writeBatch(batch);
    } else {
      batch.await(Long.MAX_VALUE);
    }
    batch.requireSuccess();
  }

  /** Takes the queue; returns false if another writer has taken this one already. */
  private synchronized boolean takeBatch(Batch batch) {
    if (queue != batch) {
      return false;
    }
    queue = new Batch();
    unwritten++;
    return true;
  }

  private void writeBatch(Batch batch) {
    IOException failure = null;
    synchronized (fileLock) {
      try {
        file.write(batch.records);
        file.sync();
      } catch (IOException broken) {
        failure = broken;
      }
    }
    batch.complete(failure);
    synchronized (this) {
      unwritten--;
      notifyAll();
    }
  }

  @Override
  public long syncs() {
    synchronized (fileLock) {
      return file.syncs();
    }
  }

  @Override
  public void close() throws IOException {
    Batch last;
    synchronized (this) {
      closed = true;
      last = queue;
    }
    if (!last.records.isEmpty() && takeBatch(last)) {
      writeBatch(last);
    }
    awaitWritten();
    synchronized (fileLock) {
      file.close();
    }
  }

  private synchronized void awaitWritten() throws IOException {
    try {
      while (unwritten > 0) {
        wait();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while others still wrote", interrupted);
    }
  }

  /** Records that become durable together. */
  private static final class Batch {
    /** Guarded by the log until the batch is taken, then by the writer that took it. */
    private final List<byte[]> records = new ArrayList<>();

    private boolean ended;
    private @Nullable IOException failure;

    /** Waits for its end; returns false if that does not come in time. */
    synchronized boolean await(long nanos) throws InterruptedException {
      long begin = System.nanoTime();
      for (long left = nanos; !ended && left > 0; left = nanos - (System.nanoTime() - begin)) {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      }
      return ended;
    }

    synchronized void complete(@Nullable IOException broken) {
      ended = true;
      failure = broken;
      notifyAll();
    }

    synchronized void requireSuccess() throws IOException {
      if (failure != null) {
        throw new IOException("the batch of this record was not written", failure);
      }
    }
  }
}
