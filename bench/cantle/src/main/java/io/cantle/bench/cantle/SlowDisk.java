package io.cantle.bench.cantle;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * A disk that is slower than it is: whatever makes something durable takes longer, be it a force or
 * a write that needs none.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SlowDisk extends DiskOver {
  private final long delayNanos;

  SlowDisk(Disk disk, long delayNanos) {
    super(disk);
    this.delayNanos = delayNanos;
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    return new SlowFile(super.create(name, access));
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return new SlowFile(super.open(name, access));
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    super.syncNames(why);
    pause(delayNanos);
  }

  private static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  private final class SlowFile extends FileOver {
    SlowFile(DiskFile file) {
      super(file);
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
      int written = super.write(from, place, why);
      if (isDurable()) {
        pause(delayNanos);
      }
      return written;
    }

    @Override
    public void force(SyncPoint why) throws IOException {
      super.force(why);
      pause(delayNanos);
    }
  }
}
