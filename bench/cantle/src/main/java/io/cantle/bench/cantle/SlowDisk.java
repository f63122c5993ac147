package io.cantle.bench.cantle;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A disk that is slower than it is: whatever makes something durable takes longer, be it a force or
 * a write that needs none.
 *
 * <p><b>Threading:</b> any thread.
 */
record SlowDisk(Disk disk, long delayNanos) implements Disk {

  @Override
  public void makeHome() throws IOException {
    disk.makeHome();
  }

  @Override
  public List<String> names() throws IOException {
    return disk.names();
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    return new SlowFile(disk.create(name, access), delayNanos);
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return new SlowFile(disk.open(name, access), delayNanos);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    disk.syncNames(why);
    pause(delayNanos);
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return disk.buffer(bytes);
  }

  @Override
  public String place() {
    return disk.place();
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

  private record SlowFile(DiskFile file, long delayNanos) implements DiskFile {
    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public boolean isDurable() {
      return file.isDurable();
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
      return file.read(into, place);
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
      int written = file.write(from, place, why);
      if (file.isDurable()) {
        pause(delayNanos);
      }
      return written;
    }

    @Override
    public void force(SyncPoint why) throws IOException {
      file.force(why);
      pause(delayNanos);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
