package io.cantle.bench.cantle;

import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * A disk with an added delay: whatever makes data durable takes longer, be it a force or a write
 * that needs none.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SlowDisk extends DelegatingDisk {
  private final long delayNanos;

  SlowDisk(Disk disk, long delayNanos) {
    super(disk);
    this.delayNanos = delayNanos;
  }

  @Override
  protected DiskFile wrap(DiskFile file) {
    return new SlowFile(file);
  }

  @Override
  public void syncNames(SyncPoint syncPoint) throws IOException {
    super.syncNames(syncPoint);
    delay(delayNanos);
  }

  private static void delay(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  private final class SlowFile extends DelegatingFile {
    SlowFile(DiskFile file) {
      super(file);
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
      int written = super.write(from, place, syncPoint);
      if (isDurable()) {
        delay(delayNanos);
      }
      return written;
    }

    @Override
    public void force(SyncPoint syncPoint) throws IOException {
      super.force(syncPoint);
      delay(delayNanos);
    }
  }
}
