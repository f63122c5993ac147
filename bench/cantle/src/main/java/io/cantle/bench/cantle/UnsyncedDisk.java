package io.cantle.bench.cantle;

import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;

/**
 * A disk that leaves what is written to the system's cache, and syncs no batch.
 *
 * <p><b>Threading:</b> any thread.
 */
final class UnsyncedDisk extends DelegatingDisk {
  UnsyncedDisk(Disk disk) {
    super(disk);
  }

  @Override
  public DiskFile create(String name, FileAccess access) throws IOException {
    return new UnsyncedFile(super.create(name, FileAccess.BUFFERED));
  }

  @Override
  public DiskFile open(String name, FileAccess access) throws IOException {
    return new UnsyncedFile(
        super.open(name, access == FileAccess.DURABLE ? FileAccess.BUFFERED : access));
  }

  private static final class UnsyncedFile extends DelegatingFile {
    UnsyncedFile(DiskFile file) {
      super(file);
    }

    @Override
    public void force(SyncPoint syncPoint) throws IOException {
      if (syncPoint != SyncPoint.BATCH) {
        super.force(syncPoint);
      }
    }
  }
}
