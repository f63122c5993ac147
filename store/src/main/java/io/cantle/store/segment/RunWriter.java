package io.cantle.store.segment;

import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run from front to back. It forces the file every now and then, so that the last force is
 * short and appends to the log do not wait for it meanwhile.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class RunWriter {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final long FORCE_BYTES = 1L << 22;

  private final Disk disk;
  private final int id;
  private final long identity;
  private final CompactionThrottle throttle;
  private final DiskFile file;
  private final List<RunRange> ranges = new ArrayList<>();
  private final CRC32C rangeCrc = new CRC32C();

  private ByteBuffer buffer;
  private long flushedBytes;
  private long forcedBytes;
  private @Nullable StoredRecord rangeFirst;
  private long rangeStart;
  private long recordCount;
  private long removalBytes;

  RunWriter(Disk disk, int id, long identity, CompactionThrottle throttle) throws IOException {
    this.disk = disk;
    this.id = id;
    this.identity = identity;
    this.throttle = throttle;
    this.buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    this.file = disk.create(RunFile.NAMES.nameOf(id), FileAccess.BUFFERED);
    buffer.putLong(0, RunFile.MAGIC);
    buffer.putInt(8, RunFile.VERSION);
    buffer.putInt(12, id);
    buffer.putLong(16, identity);
    int end = RunFile.HEADER_BYTES - 4;
    buffer.putInt(end, BufferChecksum.checksum(buffer, 0, end));
    buffer.position(RunFile.HEADER_BYTES);
  }

  /** How long the file is so far. */
  long fileLength() {
    return flushedBytes + buffer.position();
  }

  /**
   * Adds a record; records come in the order of cache, segment, hash and key.
   *
   * @return the offset of the record in the file
   */
  long add(StoredRecord stored) throws IOException {
    StoredRecord first = rangeFirst;
    if (first == null
        || first.cache() != stored.cache()
        || first.segment() != stored.segment()
        || first.incarnation() != stored.incarnation()) {
      endRange();
      rangeFirst = stored;
      rangeStart = fileLength();
      rangeCrc.reset();
      recordCount = 0;
      removalBytes = 0;
    }
    StoredEntry entry = stored.entry();
    int length = (int) RunRecord.length(entry);
    ensureRoom(length);
    long place = fileLength();
    int at = buffer.position();
    RunRecord.write(entry, stored.isRemoved(), buffer, at, RecordLocation.inRun(id, place, false));
    BufferChecksum.update(rangeCrc, buffer, at, length);
    buffer.position(at + length);
    recordCount++;
    removalBytes += stored.isRemoved() ? length : 0;
    return place;
  }

  private void endRange() {
    StoredRecord first = rangeFirst;
    if (first != null) {
      ranges.add(
          new RunRange(
              first.cache(),
              first.segment(),
              (int) rangeCrc.getValue(),
              first.incarnation(),
              rangeStart,
              fileLength(),
              recordCount,
              removalBytes));
      rangeFirst = null;
    }
  }

  private void ensureRoom(int length) throws IOException {
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
    file.writeFully(buffer, flushedBytes, SyncPoint.RUN);
    flushedBytes += length;
    buffer.clear();
    if (flushedBytes - forcedBytes >= FORCE_BYTES) {
      file.force(SyncPoint.RUN);
      forcedBytes = flushedBytes;
    }
    throttle.restIfNeeded(length);
  }

  /** Ends the file and makes it and its name durable. */
  RunFile finish(long minLsn, long maxLsn) throws IOException {
    endRange();
    long table = fileLength();
    CRC32C tableCrc = new CRC32C();
    for (RunRange range : ranges) {
      ensureRoom(RunRange.ENCODED_BYTES);
      int at = buffer.position();
      range.write(buffer);
      BufferChecksum.update(tableCrc, buffer, at, RunRange.ENCODED_BYTES);
    }
    ensureRoom(RunFile.FOOTER_BYTES);
    int at = buffer.position();
    buffer.putLong(RunFile.END_MAGIC).putLong(table).putInt(ranges.size()).putInt(id);
    buffer.putLong(minLsn).putLong(maxLsn).putLong(identity);
    buffer.putInt((int) tableCrc.getValue()).putLong(0);
    buffer.putInt(BufferChecksum.checksum(buffer, at, RunFile.FOOTER_BYTES - 4));
    flush();
    file.force(SyncPoint.RUN);
    disk.syncNames(SyncPoint.RUN_NAME);
    file.close();
    return new RunFile(
        id, disk.open(RunFile.NAMES.nameOf(id), FileAccess.READ), ranges, minLsn, maxLsn);
  }

  /** Closes and deletes the file after a failure. */
  void deleteUnfinished() throws IOException {
    file.close();
    disk.delete(RunFile.NAMES.nameOf(id));
  }
}
