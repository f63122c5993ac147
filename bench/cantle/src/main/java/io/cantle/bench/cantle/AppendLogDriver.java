package io.cantle.bench.cantle;

import io.cantle.bench.log.LogDriver;
import io.cantle.bench.log.LogSetting;
import io.cantle.bench.log.LogUnderTest;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.Lsn;
import io.cantle.store.log.RecordVisitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver of Cantle's append log with its defaults.
 *
 * <p><b>Threading:</b> as {@link LogDriver} says.
 */
public final class AppendLogDriver implements LogDriver {
  private static final long IDENTITY = 2013;

  /** Found by {@link java.util.ServiceLoader}. */
  public AppendLogDriver() {}

  @Override
  public String version() {
    return "";
  }

  @Override
  public LogUnderTest open(LogSetting setting) throws IOException {
    Disk disk = new FileDisk(setting.folder());
    if (!setting.synced()) {
      disk = new UnsyncedDisk(disk);
    }
    if (setting.syncDelayNanos() > 0) {
      disk = new SlowDisk(disk, setting.syncDelayNanos());
    }
    return new Log(
        AppendLog.open(
            disk,
            LogOptions.DEFAULT,
            IDENTITY,
            new SystemClock(),
            Thread.ofPlatform().daemon().factory(),
            0,
            RecordVisitor.NONE));
  }

  /** A log whose full files are dropped at once, so that they are reused. */
  private static final class Log implements LogUnderTest {
    private static final byte TYPE = 1;
    private static final byte[] NO_KEY = {};
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final AppendLog log;
    private final AtomicLong file = new AtomicLong();
    private final Semaphore full = new Semaphore(0);
    private volatile boolean closed;
    private final Thread dropping = Thread.ofPlatform().daemon().start(this::dropOldFiles);

    Log(AppendLog log) {
      this.log = log;
    }

    @Override
    public void append(byte[] record) throws IOException, InterruptedException {
      CompletableFuture<Long> lsn = new CompletableFuture<>();
      log.submit(
          LogRecord.of(TYPE, NO_KEY, record),
          TIMEOUT_NANOS,
          lsn::complete,
          lsn::completeExceptionally);
      long now;
      try {
        // Without a timer, whose setting and cancelling costs as much as the rest of an append.
        now = Lsn.fileId(lsn.get());
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      }
      long before = file.get();
      if (before != now && file.compareAndSet(before, now)) {
        full.release();
      }
    }

    /** Drops old files, as a store does that has moved the records elsewhere. */
    private void dropOldFiles() {
      try {
        for (full.acquireUninterruptibly(); !closed; full.acquireUninterruptibly()) {
          List<Long> files = log.fileIds();
          for (long old : files.subList(0, files.size() - 1)) {
            log.dropFile(old);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      closed = true;
      full.release();
      try {
        dropping.join(TIMEOUT_NANOS / 1_000_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      log.close();
    }
  }

  private record SystemClock() implements StoreClock {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      LockSupport.parkNanos(blocker, nanos);
    }
  }
}
