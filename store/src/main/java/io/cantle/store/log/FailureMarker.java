package io.cantle.store.log;

import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A marker file that tells the next process that opens the log that a write or sync failed. After
 * such a failure the system may hold pages that it calls clean and the disk does not have. Reads
 * show them, a sync does not write them, and a power cut would lose what was shown. Only writing
 * them again helps. The marker need not be durable, because such pages are not durable either.
 *
 * <p><b>Threading:</b> one thread.
 */
final class FailureMarker {
  /** How many files, counted from the last, may hold unsynced bytes: the active and the next. */
  static final int REWRITTEN_FILES = 2;

  private static final int COPY_BYTES = 1 << 20;

  private FailureMarker() {}

  /** Leaves the marker, as far as the disk still allows it. */
  static void create(Disk disk, Throwable cause) {
    try {
      disk.create(LogFileNames.FAILED, FileAccess.BUFFERED).close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Reads a file and writes what was read back to it. */
  static void rewriteFile(Disk disk, String name) throws IOException {
    try (DiskFile from = disk.open(name, FileAccess.READ);
        DiskFile to = disk.open(name, FileAccess.BUFFERED)) {
      long length = from.length();
      ByteBuffer buffer = disk.allocateBuffer((int) Math.min(COPY_BYTES, length));
      for (long at = 0; at < length; at += buffer.limit()) {
        buffer.clear();
        int read = from.readFully(buffer, at);
        if (read == 0) {
          throw new IOException(name + " ends at " + at + ", not at " + length);
        }
        buffer.flip();
        to.writeFully(buffer, at, SyncPoint.RECOVERED);
      }
    }
  }
}
