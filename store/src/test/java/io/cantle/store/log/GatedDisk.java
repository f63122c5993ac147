package io.cantle.store.log;

import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A disk whose batches make no progress until a gate is opened. */
final class GatedDisk extends DelegatingDisk {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch reached = new CountDownLatch(1);

  GatedDisk(Disk disk) {
    super(disk);
  }

  void openGate() {
    gate.countDown();
  }

  void awaitBatch() throws InterruptedException {
    reached.await();
  }

  @Override
  protected DiskFile wrap(DiskFile file) {
    return new Gated(file);
  }

  private final class Gated extends DelegatingFile {
    Gated(DiskFile file) {
      super(file);
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
      if (syncPoint == SyncPoint.BATCH) {
        reached.countDown();
        try {
          gate.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return super.write(from, place, syncPoint);
    }
  }
}
