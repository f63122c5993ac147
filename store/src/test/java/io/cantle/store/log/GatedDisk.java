package io.cantle.store.log;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A disk whose batches get nowhere until a gate is opened. */
final class GatedDisk extends DiskOver {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch reached = new CountDownLatch(1);

  GatedDisk(Disk disk) {
    super(disk);
  }

  void open() {
    gate.countDown();
  }

  void awaitBatch() throws InterruptedException {
    reached.await();
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    return new Gated(super.create(name, access));
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return new Gated(super.open(name, access));
  }

  private final class Gated extends FileOver {
    Gated(DiskFile file) {
      super(file);
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
      return super.write(from, place, why);
    }
  }
}
