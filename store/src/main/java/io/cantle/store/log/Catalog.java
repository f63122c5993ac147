package io.cantle.store.log;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which log this is and which of its files were dropped, as ranges of their numbers: a file that is
 * missing and not named here is lost, one that is there and named here is not looked into. It is
 * replaced as a whole.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param identity the number of the log
 * @param dropped ranges in order, which neither overlap nor touch
 */
record Catalog(long identity, List<Range> dropped) {

  private static final long MAGIC = 0x474F_4C54_4143_4C43L; // "CLCATLOG" in a file
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 24;
  private static final int MOST_BYTES = 1 << 26;

  /** Files by their numbers, both included. */
  record Range(long first, long last) {}

  boolean isDropped(long file) {
    return dropped.stream().anyMatch(range -> range.first() <= file && file <= range.last());
  }

  /** The last number that was ever dropped, 0 if none was. */
  long lastDropped() {
    return dropped.isEmpty() ? 0 : dropped.getLast().last();
  }

  /** The same without these files too; what lies between them and is no file goes with them. */
  Catalog without(Range files) {
    TreeSet<Range> ranges = new TreeSet<>(Comparator.comparingLong(Range::first));
    long first = files.first();
    long last = files.last();
    for (Range range : dropped) {
      if (range.last() + 1 < first || range.first() > last + 1) {
        boolean _ = ranges.add(range);
      } else {
        first = Math.min(first, range.first());
        last = Math.max(last, range.last());
      }
    }
    boolean _ = ranges.add(new Range(first, last));
    return new Catalog(identity, List.copyOf(ranges));
  }

  /** Puts this in the place of the one that is there. */
  void write(Disk disk) throws IOException {
    int length = HEAD_BYTES + 16 * dropped.size();
    ByteBuffer text = ByteBuffer.allocate(length + 4).order(ByteOrder.LITTLE_ENDIAN);
    text.putLong(MAGIC).putInt(VERSION).putLong(identity).putInt(dropped.size());
    for (Range range : dropped) {
      text.putLong(range.first()).putLong(range.last());
    }
    text.putInt(Frame.checksum(text, 0, length, new CRC32C())).flip();
    try (DiskFile file = disk.create(LogNames.NEW_CATALOG, Access.BUFFERED)) {
      file.writeFully(text, 0, SyncPoint.CATALOG);
      file.force(SyncPoint.CATALOG);
    }
    disk.rename(LogNames.NEW_CATALOG, LogNames.CATALOG);
    disk.syncNames(SyncPoint.CATALOG_NAME);
  }

  /** The one that is there; null if there is none. */
  static @Nullable Catalog read(Disk disk, List<String> names) throws IOException {
    if (!names.contains(LogNames.CATALOG)) {
      return null;
    }
    try (DiskFile file = disk.open(LogNames.CATALOG, Access.READ)) {
      long length = file.length();
      if (length < HEAD_BYTES + 4 || length > MOST_BYTES) {
        throw damaged(0, "it has " + length + " bytes");
      }
      ByteBuffer text = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
      int read = file.readFully(text, 0);
      if (read != length
          || text.getLong(0) != MAGIC
          || text.getInt(text.position() - 4) != Frame.checksum(text, 0, read - 4, new CRC32C())) {
        throw damaged(0, "its checksum is wrong");
      }
      int version = text.getInt(8);
      if (version != VERSION) {
        throw new IOException(
            disk.place() + " has a log of version " + version + ", this is version " + VERSION);
      }
      int count = text.getInt(20);
      if (HEAD_BYTES + 16L * count + 4 != length) {
        throw damaged(20, count + " ranges in " + length + " bytes");
      }
      Range[] ranges = new Range[count];
      for (int index = 0; index < count; index++) {
        int place = HEAD_BYTES + 16 * index;
        ranges[index] = new Range(text.getLong(place), text.getLong(place + 8));
      }
      return new Catalog(text.getLong(12), List.of(ranges));
    }
  }

  private static LogException.Damaged damaged(long offset, String what) {
    return new LogException.Damaged(LogNames.CATALOG, offset, what);
  }
}
