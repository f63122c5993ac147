package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileWindow;
import io.cantle.store.disk.NumberedFileNames;
import io.cantle.store.disk.SyncPoint;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The index written to a file, segment by segment. Each segment has the LSN up to which the log is
 * in it; what came later is applied when the snapshot is read. So the store goes on while a
 * snapshot is written. Every byte is described in {@code docs/formats/snapshot.md}.
 *
 * <p>A snapshot only saves reading. A missing or damaged one costs time.
 *
 * <p><b>Threading:</b> one thread.
 */
final class IndexSnapshot implements Closeable {
  static final long MAGIC = 0x5041_4E53_5845_4C43L; // "CLEXSNAP" in a file
  static final int VERSION = 1;
  static final int HEADER_BYTES = 64;
  static final int SEGMENT_BYTES = 48;
  static final int RUN_BYTES = 16;
  static final int SLOT_BYTES = 12;

  static final NumberedFileNames NAMES = new NumberedFileNames(".snap");
  private static final String NEW_SUFFIX = ".new";
  private static final int BUFFER_BYTES = 1 << 20;

  private final String name;
  private final DiskFile file;
  private final FileWindow window;

  private long offset;
  private long lsn;
  private int segmentCount;
  private Manifest manifest = Manifest.EMPTY;

  private IndexSnapshot(String name, DiskFile file) {
    this.name = name;
    this.file = file;
    this.window = new FileWindow(file, Long.MAX_VALUE, BUFFER_BYTES, BUFFER_BYTES);
  }

  /** The number of the newest snapshot of a disk. */
  static OptionalInt newestNumber(List<String> names) {
    return names.stream().map(NAMES::numberOf).flatMapToInt(OptionalInt::stream).max();
  }

  /**
   * Writes the index, makes it durable, and deletes older snapshots.
   *
   * @param number a higher one than any other snapshot has
   */
  static void write(
      Disk disk,
      int number,
      long identity,
      SegmentStore store,
      Manifest manifest,
      CompactionThrottle throttle)
      throws IOException {
    StoreIndex storeIndex = store.index();
    long lsn = store.appliedLsn();
    List<StoredSegment> segments = storeIndex.segments();
    byte[] text = manifest.encode();
    ByteBuffer head = ByteBuffer.allocate(HEADER_BYTES + text.length + 4);
    head.order(ByteOrder.LITTLE_ENDIAN);
    head.putLong(0, MAGIC).putInt(8, VERSION).putInt(12, text.length).putLong(16, identity);
    head.putLong(24, lsn).putInt(32, segments.size());
    head.putInt(HEADER_BYTES - 4, BufferChecksum.checksum(head, 0, HEADER_BYTES - 4));
    head.put(HEADER_BYTES, text);
    head.putInt(
        HEADER_BYTES + text.length, BufferChecksum.checksum(head, HEADER_BYTES, text.length));
    String name = NAMES.nameOf(number);
    try (DiskFile file = disk.create(name + NEW_SUFFIX, FileAccess.BUFFERED)) {
      file.writeFully(head, 0, SyncPoint.SNAPSHOT);
      long place = head.limit();
      long forced = 0;
      ByteBuffer block = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
      for (StoredSegment segment : segments) {
        block = encodeSegment(segment, storeIndex.runs().allRuns(), store, block);
        int length = block.remaining();
        file.writeFully(block, place, SyncPoint.SNAPSHOT);
        place += length;
        if (place - forced > 4L << 20) {
          file.force(SyncPoint.SNAPSHOT);
          forced = place;
        }
        throttle.restIfNeeded(length);
      }
      file.force(SyncPoint.SNAPSHOT);
    }
    disk.rename(name + NEW_SUFFIX, name);
    disk.syncNames(SyncPoint.SNAPSHOT_NAME);
    for (String other : disk.names()) {
      OptionalInt found = NAMES.numberOf(other);
      if (found.isPresent() && found.getAsInt() < number) {
        disk.delete(other);
      }
    }
  }

  private static ByteBuffer encodeSegment(
      StoredSegment segment, List<RunFile> runs, SegmentStore store, ByteBuffer reused) {
    synchronized (segment) {
      SlotTable table = segment.table;
      List<RunFile> with =
          runs.stream().filter(run -> run.rangeOf(segment.address()) != null).toList();
      long length =
          SEGMENT_BYTES + (long) RUN_BYTES * with.size() + (long) SLOT_BYTES * table.usedCount();
      if (length > Integer.MAX_VALUE - 16) {
        throw new IllegalStateException(
            "segment %s has too many keys for a snapshot: %s"
                .formatted(segment.segmentId, table.usedCount()));
      }
      ByteBuffer to = reused;
      if (to.capacity() < length) {
        to = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
      }
      to.clear();
      to.putShort((short) segment.cacheId)
          .putShort((short) segment.segmentId)
          .putInt(table.usedCount());
      to.putLong(segment.incarnation).putLong(store.appliedLsn()).putLong(segment.staleLsn);
      to.putInt(with.size()).putInt(0).putLong(0);
      for (RunFile run : with) {
        to.putInt(run.id()).putInt(0).putLong(run.liveBytes(segment.address()));
      }
      for (int slot = 0; slot < table.slotCount(); slot++) {
        long location = table.locationAt(slot);
        if (location != RecordLocation.NONE) {
          to.putInt(table.fingerprintOf(slot)).putLong(location);
        }
      }
      to.flip();
      to.putInt(40, BufferChecksum.checksum(to, SEGMENT_BYTES, to.limit() - SEGMENT_BYTES));
      to.putInt(44, BufferChecksum.checksum(to, 0, 44));
      return to;
    }
  }

  /**
   * Opens a snapshot.
   *
   * @throws DamagedException if it does not begin as it was written
   */
  static IndexSnapshot open(Disk disk, int number, long identity) throws IOException {
    String name = NAMES.nameOf(number);
    IndexSnapshot snapshot = new IndexSnapshot(name, disk.open(name, FileAccess.READ));
    try {
      snapshot.readHeader(identity);
      return snapshot;
    } catch (Throwable e) {
      snapshot.close();
      throw e;
    }
  }

  private void readHeader(long identity) throws IOException {
    ByteBuffer head = read(HEADER_BYTES);
    if (head.getLong(0) != MAGIC
        || head.getInt(HEADER_BYTES - 4) != BufferChecksum.checksum(head, 0, HEADER_BYTES - 4)) {
      throw damagedException("it does not begin with the header of a snapshot");
    }
    if (head.getInt(8) != VERSION || head.getLong(16) != identity) {
      throw damagedException(
          "it is of version " + head.getInt(8) + " of store " + head.getLong(16));
    }
    lsn = head.getLong(24);
    segmentCount = head.getInt(32);
    byte[] text = new byte[head.getInt(12)];
    read(text.length).get(text);
    if (read(4).getInt() != BufferChecksum.checksum(ByteBuffer.wrap(text), 0, text.length)) {
      throw damagedException("the manifest is not as written");
    }
    manifest = Manifest.decode(text);
  }

  /** The LSN before which the whole log is in every segment. */
  long lsn() {
    return lsn;
  }

  /** The manifest that was current when the snapshot was written. */
  Manifest manifest() {
    return manifest;
  }

  /**
   * Puts the segments into an empty index, except locations in files that are gone since then.
   * After an exception the index must be discarded.
   *
   * @param now the current manifest
   */
  void readInto(StoreIndex storeIndex, Manifest now) throws IOException {
    for (int index = 0; index < segmentCount; index++) {
      SegmentHeader header = readSegmentHeader();
      StoredSegment segment = storeIndex.getOrCreateSegment(header.cache, header.segment);
      boolean isOld = header.incarnation < now.incarnations().getOrDefault(segment.address(), 0L);
      FileDamage damage =
          isOld
              ? verifyContents(header)
              : readInto(storeIndex, segment, header, now.neededFromLsn());
      if (damage != null) {
        throw new DamagedException(damage);
      }
    }
  }

  @SuppressWarnings("GuardedBy") // One thread opens a store.
  private @Nullable FileDamage readInto(
      StoreIndex storeIndex, StoredSegment segment, SegmentHeader header, long neededFromLsn)
      throws IOException {
    segment.incarnation = header.incarnation;
    segment.wantedIncarnation = header.incarnation;
    segment.indexedFromLsn = header.indexedFromLsn;
    segment.staleLsn = header.staleLsn;
    segment.table.reserve(header.slotCount);
    RunSet runs = storeIndex.runs();
    return readContents(
        header,
        entries -> {
          while (entries.hasRemaining()) {
            RunFile run = runs.get(entries.getInt());
            int _ = entries.getInt();
            long liveBytes = entries.getLong();
            if (run != null) {
              run.countLive(segment.address(), liveBytes);
            }
          }
        },
        entries -> {
          while (entries.hasRemaining()) {
            int print = entries.getInt();
            long location = entries.getLong();
            boolean isFilePresent =
                RecordLocation.isInRun(location)
                    ? runs.get(RecordLocation.runId(location)) != null
                    : RecordLocation.lsn(location) >= neededFromLsn;
            if (isFilePresent) {
              segment.table.add(print, location);
              segment.keyCount += RecordLocation.isRemoved(location) ? 0 : 1;
            }
          }
        });
  }

  /**
   * Reads all segments and compares them with their checksums.
   *
   * @param damages gets each segment that is not as written
   * @throws DamagedException where the rest cannot be read
   */
  void verify(Consumer<FileDamage> damages) throws IOException {
    for (int index = 0; index < segmentCount; index++) {
      FileDamage damage = verifyContents(readSegmentHeader());
      if (damage != null) {
        damages.accept(damage);
      }
    }
  }

  /** The header of a segment, and where it begins. */
  private record SegmentHeader(
      long offset,
      int cache,
      int segment,
      int slotCount,
      long incarnation,
      long indexedFromLsn,
      long staleLsn,
      int runCount,
      int checksum) {}

  private SegmentHeader readSegmentHeader() throws IOException {
    long start = offset;
    ByteBuffer head = read(SEGMENT_BYTES);
    if (head.getInt(44) != BufferChecksum.checksum(head, 0, 44)) {
      throw new DamagedException(
          name, start, "no segment begins here; what follows cannot be found");
    }
    return new SegmentHeader(
        start,
        Short.toUnsignedInt(head.getShort(0)),
        Short.toUnsignedInt(head.getShort(2)),
        head.getInt(4),
        head.getLong(8),
        head.getLong(16),
        head.getLong(24),
        head.getInt(32),
        head.getInt(40));
  }

  private @Nullable FileDamage verifyContents(SegmentHeader header) throws IOException {
    return readContents(header, _ -> {}, _ -> {});
  }

  /** Reads runs and slots of a segment, in parts; returns what is wrong, null if nothing is. */
  private @Nullable FileDamage readContents(
      SegmentHeader header, Consumer<ByteBuffer> runs, Consumer<ByteBuffer> slots)
      throws IOException {
    CRC32C crc = new CRC32C();
    readEntries(header.runCount, RUN_BYTES, crc, runs);
    readEntries(header.slotCount, SLOT_BYTES, crc, slots);
    return (int) crc.getValue() == header.checksum
        ? null
        : FileDamage.of(
            name, header.offset, header.cache, header.segment, "its slots are not as written");
  }

  private void readEntries(int count, int entryBytes, CRC32C crc, Consumer<ByteBuffer> visitor)
      throws IOException {
    for (int left = count; left > 0; ) {
      int part = Math.min(left, BUFFER_BYTES / entryBytes);
      ByteBuffer entries = read(part * entryBytes);
      crc.update(entries);
      visitor.accept(entries.flip());
      left -= part;
    }
  }

  /** The next bytes of the file. */
  private ByteBuffer read(int length) throws IOException {
    if (!window.load(offset, length)) {
      throw damagedException("it ends within " + length + " bytes");
    }
    ByteBuffer bytes = window.bytes().slice(window.indexOf(offset), length);
    offset += length;
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  private DamagedException damagedException(String problem) {
    return new DamagedException(name, offset, problem);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
