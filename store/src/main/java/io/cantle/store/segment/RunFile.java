package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileWindow;
import io.cantle.store.disk.NumberedFileNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file that compaction wrote in one go and that never changes: records in the order of cache,
 * segment, hash and key, and a table of the ranges at the end. What changes is how much of it is
 * still live; that is counted here for each range.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunFile implements Closeable {
  static final long MAGIC = 0x4C49_464E_5552_4C43L; // "CLRUNFIL" in a file
  static final long END_MAGIC = 0x444E_454E_5552_4C43L; // "CLRUNEND" in a file
  static final int VERSION = 1;
  static final int HEADER_BYTES = 64;
  static final int FOOTER_BYTES = 64;

  static final NumberedFileNames NAMES = new NumberedFileNames(".run");
  private static final int FIRST_READ_BYTES = 4096;
  private static final int VERIFY_BUFFER_BYTES = 1 << 18;

  private final int id;
  private final String name;
  private final DiskFile file;
  private final long minLsn;
  private final long maxLsn;
  private final long dataEnd;
  private final List<RunRange> ranges;
  private final NavigableMap<Long, RunRange> byStart = new TreeMap<>();
  private final Map<Integer, RunRange> byAddress = new HashMap<>();
  private final Map<Integer, AtomicLong> liveByAddress = new HashMap<>();
  private final AtomicLong liveBytes = new AtomicLong();

  RunFile(int id, DiskFile file, List<RunRange> ranges, long minLsn, long maxLsn) {
    this.id = id;
    this.name = NAMES.nameOf(id);
    this.file = file;
    this.minLsn = minLsn;
    this.maxLsn = maxLsn;
    this.ranges = List.copyOf(ranges);
    // Of two incarnations of a segment, the later one comes later.
    for (RunRange range : ranges) {
      byStart.put(range.start(), range);
      byAddress.put(range.address(), range);
      liveByAddress.put(range.address(), new AtomicLong());
    }
    this.dataEnd = ranges.isEmpty() ? HEADER_BYTES : ranges.getLast().end();
  }

  /**
   * Opens an existing run.
   *
   * @throws DamagedException if it is not as it was written
   */
  static RunFile open(Disk disk, int id, long identity) throws IOException {
    DiskFile file = disk.open(NAMES.nameOf(id), FileAccess.READ);
    try {
      return read(file, id, identity);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  private static RunFile read(DiskFile file, int id, long identity) throws IOException {
    String name = NAMES.nameOf(id);
    long length = file.length();
    if (length < HEADER_BYTES + FOOTER_BYTES) {
      throw new DamagedException(name, 0, "it has only " + length + " bytes");
    }
    ByteBuffer head = readBytes(file, name, 0, HEADER_BYTES);
    if (head.getLong(0) != MAGIC
        || head.getInt(HEADER_BYTES - 4) != BufferChecksum.checksum(head, 0, HEADER_BYTES - 4)) {
      throw new DamagedException(name, 0, "it does not begin with the header of a run");
    }
    if (head.getInt(8) != VERSION) {
      throw new IOException(
          name + " is of version " + head.getInt(8) + ", this is version " + VERSION);
    }
    if (head.getInt(12) != id || head.getLong(16) != identity) {
      throw new DamagedException(
          name, 12, "it is run " + head.getInt(12) + " of store " + head.getLong(16));
    }
    long footPlace = length - FOOTER_BYTES;
    ByteBuffer foot = readBytes(file, name, footPlace, FOOTER_BYTES);
    if (foot.getLong(0) != END_MAGIC
        || foot.getInt(FOOTER_BYTES - 4) != BufferChecksum.checksum(foot, 0, FOOTER_BYTES - 4)
        || foot.getInt(20) != id) {
      throw new DamagedException(name, footPlace, "it does not end with the footer of a run");
    }
    long table = foot.getLong(8);
    int count = foot.getInt(16);
    if (table + (long) count * RunRange.ENCODED_BYTES != footPlace) {
      throw new DamagedException(
          name,
          footPlace,
          count + " ranges do not end at the footer if they begin at offset " + table);
    }
    ByteBuffer bytes = readBytes(file, name, table, count * RunRange.ENCODED_BYTES);
    if (foot.getInt(48) != BufferChecksum.checksum(bytes, 0, count * RunRange.ENCODED_BYTES)) {
      throw new DamagedException(name, table, "the table of ranges is not as written");
    }
    List<RunRange> ranges = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      ranges.add(RunRange.read(bytes));
    }
    return new RunFile(id, file, ranges, foot.getLong(24), foot.getLong(32));
  }

  private static ByteBuffer readBytes(DiskFile file, String name, long place, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    if (file.readFully(bytes, place) < length) {
      throw new DamagedException(name, place, "it ends within " + length + " bytes");
    }
    return bytes.flip();
  }

  int id() {
    return id;
  }

  String name() {
    return name;
  }

  /** The LSN before which none of its records was appended to the log. */
  long minLsn() {
    return minLsn;
  }

  /** The LSN after which none of its records was appended to the log. */
  long maxLsn() {
    return maxLsn;
  }

  List<RunRange> ranges() {
    return ranges;
  }

  /** The range of a segment; null if it has none. */
  @Nullable RunRange rangeOf(int address) {
    return byAddress.get(address);
  }

  /** The offset behind the last record. */
  long dataEnd() {
    return dataEnd;
  }

  /** How many bytes its records take, live or not. */
  long dataBytes() {
    return dataEnd - HEADER_BYTES;
  }

  /** How many bytes of it are still live. */
  long liveBytes() {
    return liveBytes.get();
  }

  /** How many bytes of a segment's records are live; 0 if it has none here. */
  long liveBytes(int address) {
    AtomicLong live = liveByAddress.get(address);
    return live == null ? 0 : live.get();
  }

  /** Adds to the live bytes of a segment; a negative number subtracts. */
  void countLive(int address, long bytes) {
    AtomicLong live = liveByAddress.get(address);
    if (live != null) {
      live.addAndGet(bytes);
      liveBytes.addAndGet(bytes);
    }
  }

  /** Counts nothing of this segment as live any more. */
  void dropLive(int address) {
    AtomicLong live = liveByAddress.get(address);
    if (live != null) {
      liveBytes.addAndGet(-live.getAndSet(0));
    }
  }

  /** A window that reads this file up to an offset. */
  FileWindow window(long end, int minBytes, int maxBytes) {
    return new FileWindow(file, end, minBytes, maxBytes);
  }

  /** Reads the record at an offset. */
  StoredRecord read(long place) throws IOException {
    RunRange range = rangeAt(place);
    return read(range, place, window(range.end(), FIRST_READ_BYTES, FIRST_READ_BYTES));
  }

  /** Reads the record at an offset of a range through a window. */
  StoredRecord read(RunRange range, long place, FileWindow window) throws IOException {
    String fault = findFault(range, place, window);
    if (fault != null) {
      throw damagedException(range, place, fault);
    }
    ByteBuffer bytes = window.bytes();
    int at = window.indexOf(place);
    return new StoredRecord(
        range.cache(),
        range.segment(),
        range.incarnation(),
        RecordLocation.inRun(id, place, RunRecord.isRemoved(bytes, at)),
        RunRecord.length(bytes, at),
        RunRecord.readEntry(bytes, at));
  }

  /** What is wrong with the record at an offset; null if it is whole, and in the window now. */
  @Nullable String findFault(RunRange range, long place, FileWindow window) throws IOException {
    if (!window.load(place, RunRecord.HEADER_BYTES)) {
      return "the file ends";
    }
    long length = RunRecord.length(window.bytes(), window.indexOf(place));
    if (length > Math.min(range.end() - place, RunRecord.MAX_BYTES)) {
      return "a record of " + length + " bytes does not fit";
    }
    if (!window.load(place, (int) length)) {
      return "the file ends within the record";
    }
    long seed = RecordLocation.inRun(id, place, false);
    return RunRecord.isWhole(window.bytes(), window.indexOf(place), seed)
        ? null
        : "the record is not as written";
  }

  /** Reads a range, including the bytes between records. */
  void verifyRange(RunRange range) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(VERIFY_BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = new CRC32C();
    for (long place = range.start(); place < range.end(); place += buffer.limit()) {
      buffer.clear().limit((int) Math.min(VERIFY_BUFFER_BYTES, range.end() - place));
      if (file.readFully(buffer, place) < buffer.limit()) {
        throw damagedException(range, place, "the file ends");
      }
      crc.update(buffer.flip());
    }
    if ((int) crc.getValue() != range.checksum()) {
      throw damagedException(
          range, range.start(), "the bytes between its records are not as written");
    }
  }

  private RunRange rangeAt(long place) throws DamagedException {
    Map.Entry<Long, RunRange> found = byStart.floorEntry(place);
    if (found == null || place >= found.getValue().end()) {
      throw new DamagedException(name, place, "no segment has its records there");
    }
    return found.getValue();
  }

  DamagedException damagedException(RunRange range, long place, String problem) {
    return new DamagedException(
        FileDamage.of(name, place, range.cache(), range.segment(), problem));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
