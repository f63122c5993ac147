package io.cantle.bench.cantle;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogDriver;
import io.cantle.bench.log.LogSetting;
import io.cantle.bench.log.LogUnderTest;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.library.ByteLog;
import io.cantle.store.library.ByteVisitor;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogStrategy;
import io.cantle.store.log.LogStrategy.CompletionWait;
import io.cantle.store.log.Lsn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The driver of Cantle's log with each of its strategies, as a program without a grid uses it.
 *
 * <p><b>Threading:</b> as {@link LogDriver} says.
 */
public final class ByteLogDriver implements LogDriver {

  /** Found by {@link java.util.ServiceLoader}. */
  public ByteLogDriver() {}

  @Override
  public String version() {
    return "";
  }

  @Override
  public LogUnderTest open(LogSetting setting) throws IOException {
    Disk disk = new FileDisk(setting.folder());
    if (setting.syncDelayNanos() > 0) {
      disk = new SlowDisk(disk, setting.syncDelayNanos());
    }
    LogOptions options =
        LogOptions.DEFAULT.withStrategy(strategyOf(setting.cell())).withFlushing(setting.synced());
    return new Log(ByteLog.open(disk, options, 0, ByteVisitor.NONE));
  }

  private static LogStrategy strategyOf(LogCell cell) {
    return switch (cell.variant()) {
      case SIMPLE -> new LogStrategy.Simple();
      case WAITING -> new LogStrategy.Waiting(cell.limit(), Duration.ofMillis(cell.waitMillis()));
      case SINGLE_SPINNING -> new LogStrategy.SingleWriter(CompletionWait.SPINNING);
      case SINGLE_YIELDING -> new LogStrategy.SingleWriter(CompletionWait.YIELDING);
      case SINGLE_WAITING -> new LogStrategy.SingleWriter(CompletionWait.WAITING);
      case CANTLE, CANTLE_PLATFORM, ROCKSDB, ARTEMIS, RAW -> LogOptions.DEFAULT.strategy();
    };
  }

  /** A log whose full files are dropped at once, so that they are reused. */
  private static final class Log implements LogUnderTest {
    private static final long JOIN_MILLIS = TimeUnit.SECONDS.toMillis(60);

    private final ByteLog log;
    private final AtomicLong file = new AtomicLong();
    private final Semaphore full = new Semaphore(0);
    private volatile boolean closed;
    private final Thread dropping = Thread.ofPlatform().daemon().start(this::dropOldFiles);

    Log(ByteLog log) {
      this.log = log;
    }

    @Override
    public void append(byte[] record) throws IOException, InterruptedException {
      long now = Lsn.fileId(log.append(record));
      long before = file.get();
      if (before != now && file.compareAndSet(before, now)) {
        full.release();
      }
    }

    /** Drops old files, as a store does that has moved the records elsewhere. */
    private void dropOldFiles() {
      try {
        for (full.acquireUninterruptibly(); !closed; full.acquireUninterruptibly()) {
          log.dropBefore(log.endLsn());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public long syncs() {
      return log.syncCount();
    }

    @Override
    public void close() throws IOException {
      closed = true;
      full.release();
      try {
        dropping.join(JOIN_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      log.close();
    }
  }
}
