package io.cantle.bench.log;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A file with an added delay: each sync takes longer.
 *
 * <p><b>Threading:</b> guarded by its log.
 */
record DelayedLogFile(LogFile file, long delayNanos) implements LogFile {

  @Override
  public void write(List<byte[]> records) throws IOException {
    file.write(records);
  }

  @Override
  public void sync() throws IOException {
    file.sync();
    // Parked, not spun: a thread that waits for a disk leaves its processor to others.
    long end = System.nanoTime() + delayNanos;
    for (long left = delayNanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  @Override
  public long syncs() {
    return file.syncs();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
