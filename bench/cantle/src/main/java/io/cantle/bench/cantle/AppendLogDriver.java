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
import io.cantle.store.log.RecordVisitor;
import io.cantle.store.log.SyncPolicy;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Cantle's append log with its defaults.
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
    if (setting.syncDelayNanos() > 0) {
      disk = new SlowDisk(disk, setting.syncDelayNanos());
    }
    return new Log(
        AppendLog.open(
            disk,
            LogOptions.of(setting.synced() ? SyncPolicy.GROUP : SyncPolicy.NEVER),
            IDENTITY,
            new SystemClock(),
            Thread.ofPlatform().daemon().factory(),
            0,
            RecordVisitor.NONE));
  }

  private record Log(AppendLog log) implements LogUnderTest {
    private static final byte TYPE = 1;
    private static final byte[] NO_KEY = {};
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    @Override
    public void append(byte[] record) throws IOException, InterruptedException {
      long _ = log.append(LogRecord.of(TYPE, NO_KEY, record), TIMEOUT_NANOS);
    }

    @Override
    public void close() throws IOException {
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
