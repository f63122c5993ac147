package io.cantle.store.log;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A disk whose batches get nowhere until a gate is opened. */
final class GatedDisk implements Disk {
  private final Disk disk;
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch reached = new CountDownLatch(1);

  GatedDisk(Disk disk) {
    this.disk = disk;
  }

  void open() {
    gate.countDown();
  }

  void awaitBatch() throws InterruptedException {
    reached.await();
  }

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
    return new Gated(disk.create(name, access));
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return new Gated(disk.open(name, access));
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
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return disk.buffer(bytes);
  }

  @Override
  public String place() {
    return disk.place();
  }

  private final class Gated implements DiskFile {
    private final DiskFile file;

    Gated(DiskFile file) {
      this.file = file;
    }

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
      if (why == SyncPoint.BATCH) {
        reached.countDown();
        try {
          gate.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return file.write(from, place, why);
    }

    @Override
    public void force(SyncPoint why) throws IOException {
      file.force(why);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
