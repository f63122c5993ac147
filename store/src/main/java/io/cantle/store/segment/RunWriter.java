package io.cantle.store.segment;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run from front to back. It forces what it wrote every now and then, so that the last
 * force is a short one and those who append to the log in the meantime do not wait for it.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class RunWriter {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final long FORCE_BYTES = 1L << 22;

  private final Disk disk;
  private final int id;
  private final long identity;
  private final Pace pace;
  private final DiskFile file;
  private final List<Range> ranges = new ArrayList<>();
  private final CRC32C crc = new CRC32C();
  private final CRC32C rangeCrc = new CRC32C();

  private ByteBuffer buffer;
  private long base;
  private long forced;
  private @Nullable Range open;
  private long count;
  private long removedBytes;

  RunWriter(Disk disk, int id, long identity, Pace pace) throws IOException {
    this.disk = disk;
    this.id = id;
    this.identity = identity;
    this.pace = pace;
    this.buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    this.file = disk.create(RunFile.name(id), Access.BUFFERED);
    buffer.putLong(0, RunFile.MAGIC);
    buffer.putInt(8, RunFile.VERSION);
    buffer.putInt(12, id);
    buffer.putLong(16, identity);
    int end = RunFile.HEAD_BYTES - 4;
    buffer.putInt(end, Checksums.of(buffer, 0, end));
    buffer.position(RunFile.HEAD_BYTES);
  }

  /** How long the file is up to now. */
  long length() {
    return base + buffer.position();
  }

  /**
   * Adds a record; they come in the order of cache, segment, hash and key.
   *
   * @return where it is in the file
   */
  long add(int cache, int segment, long incarnation, StoredEntry entry, boolean removed)
      throws IOException {
    Range range = open;
    if (range == null
        || range.cache() != cache
        || range.segment() != segment
        || range.incarnation() != incarnation) {
      endRange();
      open = new Range(cache, segment, incarnation, length(), 0, 0, 0, 0);
      rangeCrc.reset();
      count = 0;
      removedBytes = 0;
    }
    int length = (int) RunRecord.length(entry);
    room(length);
    long place = length();
    int at = buffer.position();
    RunRecord.write(entry, removed, buffer, at, Location.inRun(id, place, false), crc);
    Checksums.update(rangeCrc, buffer, at, length);
    buffer.position(at + length);
    count++;
    removedBytes += removed ? length : 0;
    return place;
  }

  private void endRange() {
    Range range = open;
    if (range != null) {
      ranges.add(
          new Range(
              range.cache(),
              range.segment(),
              range.incarnation(),
              range.start(),
              length(),
              count,
              (int) rangeCrc.getValue(),
              removedBytes));
      open = null;
    }
  }

  private void room(int length) throws IOException {
    if (buffer.remaining() >= length) {
      return;
    }
    flush();
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    int length = buffer.limit();
    file.writeFully(buffer, base, SyncPoint.RUN);
    base += length;
    buffer.clear();
    if (base - forced >= FORCE_BYTES) {
      file.force(SyncPoint.RUN);
      forced = base;
    }
    pace.pause(length);
  }

  /** Ends the file and makes it durable, its name as well. */
  RunFile finish(long minLsn, long maxLsn) throws IOException {
    endRange();
    long table = length();
    CRC32C tableCrc = new CRC32C();
    for (Range range : ranges) {
      room(Range.BYTES);
      int at = buffer.position();
      buffer.putShort((short) range.cache());
      buffer.putShort((short) range.segment());
      buffer.putInt(range.checksum());
      buffer.putLong(range.incarnation());
      buffer.putLong(range.start());
      buffer.putLong(range.end());
      buffer.putLong(range.count());
      buffer.putLong(range.removed());
      Checksums.update(tableCrc, buffer, at, Range.BYTES);
    }
    room(RunFile.FOOT_BYTES);
    int at = buffer.position();
    buffer.putLong(RunFile.END_MAGIC);
    buffer.putLong(table);
    buffer.putInt(ranges.size());
    buffer.putInt(id);
    buffer.putLong(minLsn);
    buffer.putLong(maxLsn);
    buffer.putLong(identity);
    buffer.putInt((int) tableCrc.getValue());
    buffer.putLong(0);
    buffer.putInt(Checksums.of(buffer, at, RunFile.FOOT_BYTES - 4));
    flush();
    file.force(SyncPoint.RUN);
    disk.syncNames(SyncPoint.RUN_NAME);
    file.close();
    return new RunFile(id, disk.open(RunFile.name(id), Access.READ), ranges, minLsn, maxLsn);
  }

  /** Closes the file and deletes it: something went wrong. */
  void abandon() throws IOException {
    file.close();
    disk.delete(RunFile.name(id));
  }
}
