package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The file that says which log this is and which of its files were dropped, as ranges of file ids.
 * A file that is missing and not named here is lost; a file that exists and is named here is
 * ignored. The catalog is replaced as a whole.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param identity the number of the log
 * @param droppedRanges ranges in order, which neither overlap nor touch
 */
record LogCatalog(long identity, List<FileRange> droppedRanges) {

  private static final long MAGIC = 0x474F_4C54_4143_4C43L; // "CLCATLOG" in a file
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 24;
  private static final int MAX_BYTES = 1 << 26;

  /** A range of file ids, both ends included. */
  record FileRange(long first, long last) {}

  boolean isDropped(long file) {
    return droppedRanges.stream().anyMatch(range -> range.first() <= file && file <= range.last());
  }

  /** The highest file id that was ever dropped, 0 if none was. */
  long lastDroppedId() {
    return droppedRanges.isEmpty() ? 0 : droppedRanges.getLast().last();
  }

  /**
   * This catalog with more files dropped. Ids between these and an adjoining range are dropped with
   * them.
   */
  LogCatalog withDropped(FileRange files) {
    TreeSet<FileRange> ranges = new TreeSet<>(Comparator.comparingLong(FileRange::first));
    long first = files.first();
    long last = files.last();
    for (FileRange range : droppedRanges) {
      if (range.last() + 1 < first || range.first() > last + 1) {
        boolean _ = ranges.add(range);
      } else {
        first = Math.min(first, range.first());
        last = Math.max(last, range.last());
      }
    }
    boolean _ = ranges.add(new FileRange(first, last));
    return new LogCatalog(identity, List.copyOf(ranges));
  }

  /** Replaces the catalog on disk with this one. */
  void write(Disk disk) throws IOException {
    int length = HEADER_BYTES + 16 * droppedRanges.size();
    ByteBuffer text = ByteBuffer.allocate(length + 4).order(ByteOrder.LITTLE_ENDIAN);
    text.putLong(MAGIC).putInt(VERSION).putLong(identity).putInt(droppedRanges.size());
    for (FileRange range : droppedRanges) {
      text.putLong(range.first()).putLong(range.last());
    }
    text.putInt(BufferChecksum.checksum(text, 0, length)).flip();
    try (DiskFile file = disk.create(LogFileNames.NEW_CATALOG, FileAccess.BUFFERED)) {
      file.writeFully(text, 0, SyncPoint.CATALOG);
      file.force(SyncPoint.CATALOG);
    }
    disk.rename(LogFileNames.NEW_CATALOG, LogFileNames.CATALOG);
    disk.syncNames(SyncPoint.CATALOG_NAME);
  }

  /** The catalog on disk; null if there is none. */
  static @Nullable LogCatalog read(Disk disk, List<String> names) throws IOException {
    if (!names.contains(LogFileNames.CATALOG)) {
      return null;
    }
    try (DiskFile file = disk.open(LogFileNames.CATALOG, FileAccess.READ)) {
      long length = file.length();
      if (length < HEADER_BYTES + 4 || length > MAX_BYTES) {
        throw damagedException(0, "it has " + length + " bytes");
      }
      ByteBuffer text = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
      int read = file.readFully(text, 0);
      if (read != length
          || text.getLong(0) != MAGIC
          || text.getInt(text.position() - 4) != BufferChecksum.checksum(text, 0, read - 4)) {
        throw damagedException(0, "its checksum is wrong");
      }
      int version = text.getInt(8);
      if (version != VERSION) {
        throw new IOException(
            disk.location() + " has a log of version " + version + ", this is version " + VERSION);
      }
      int count = text.getInt(20);
      if (HEADER_BYTES + 16L * count + 4 != length) {
        throw damagedException(20, count + " ranges do not make up " + length + " bytes");
      }
      FileRange[] ranges = new FileRange[count];
      for (int index = 0; index < count; index++) {
        int place = HEADER_BYTES + 16 * index;
        ranges[index] = new FileRange(text.getLong(place), text.getLong(place + 8));
      }
      return new LogCatalog(text.getLong(12), List.of(ranges));
    }
  }

  private static DamagedException damagedException(long offset, String problem) {
    return new DamagedException(LogFileNames.CATALOG, offset, problem);
  }
}
