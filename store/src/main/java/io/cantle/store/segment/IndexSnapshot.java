package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
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

  private static final NumberedFileNames NAMES = new NumberedFileNames(".snap");
  private static final String NEW_SUFFIX = ".new";
  private static final int BUFFER_BYTES = 1 << 20;

  private final String name;
  private final DiskFile file;
  private final ByteBuffer buffer =
      ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private final CRC32C crc = new CRC32C();

  private long offset;
  private long lsn;
  private int segmentCount;
  private Manifest manifest = Manifest.EMPTY;

  private IndexSnapshot(String name, DiskFile file) {
    this.name = name;
    this.file = file;
  }

  static String nameOf(int number) {
    return NAMES.nameOf(number);
  }

  /** The number of a snapshot by the name of its file; empty if it is not a snapshot. */
  static OptionalInt numberOf(String name) {
    return NAMES.numberOf(name);
  }

  /** The number of the newest snapshot of a disk. */
  static OptionalInt newestNumber(List<String> names) {
    return names.stream().map(IndexSnapshot::numberOf).flatMapToInt(OptionalInt::stream).max();
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
    String name = nameOf(number);
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
      OptionalInt found = numberOf(other);
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
            "segment " + segment.segmentId + " has too many keys for a snapshot: " + table);
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
    String name = nameOf(number);
    IndexSnapshot snapshot = new IndexSnapshot(name, disk.open(name, FileAccess.READ));
    boolean opened = false;
    try {
      snapshot.readHeader(identity);
      opened = true;
      return snapshot;
    } finally {
      if (!opened) {
        snapshot.close();
      }
    }
  }

  private void readHeader(long identity) throws IOException {
    ensureBuffered(HEADER_BYTES);
    int at = buffer.position();
    if (buffer.getLong(at) != MAGIC
        || buffer.getInt(at + HEADER_BYTES - 4)
            != BufferChecksum.checksum(buffer, at, HEADER_BYTES - 4)) {
      throw damagedException("it does not begin with the header of a snapshot");
    }
    if (buffer.getInt(at + 8) != VERSION || buffer.getLong(at + 16) != identity) {
      throw damagedException(
          "it is of version " + buffer.getInt(at + 8) + " of store " + buffer.getLong(at + 16));
    }
    lsn = buffer.getLong(at + 24);
    segmentCount = buffer.getInt(at + 32);
    byte[] text = new byte[buffer.getInt(at + 12)];
    skip(HEADER_BYTES);
    crc.reset();
    for (int from = 0; from < text.length; ) {
      int length = Math.min(text.length - from, BUFFER_BYTES);
      ensureBuffered(length);
      buffer.get(buffer.position(), text, from, length);
      skip(length);
      from += length;
    }
    crc.update(text);
    ensureBuffered(4);
    if (buffer.getInt(buffer.position()) != (int) crc.getValue()) {
      throw damagedException("the manifest is not as written");
    }
    skip(4);
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
      readSegment(storeIndex, now);
    }
  }

  /**
   * Reads all segments and compares them with their checksums.
   *
   * @param damages gets each segment that is not as written
   * @throws DamagedException where the rest cannot be read
   */
  void verify(Consumer<FileDamage> damages) throws IOException {
    for (int index = 0; index < segmentCount; index++) {
      ensureBuffered(SEGMENT_BYTES);
      int at = buffer.position();
      long start = offset;
      if (buffer.getInt(at + 44) != BufferChecksum.checksum(buffer, at, 44)) {
        throw damagedException("no segment begins here; what follows cannot be found");
      }
      int cache = Short.toUnsignedInt(buffer.getShort(at));
      int segment = Short.toUnsignedInt(buffer.getShort(at + 2));
      long left = (long) buffer.getInt(at + 4) * SLOT_BYTES;
      left += (long) buffer.getInt(at + 32) * RUN_BYTES;
      int checksum = buffer.getInt(at + 40);
      skip(SEGMENT_BYTES);
      crc.reset();
      while (left > 0) {
        int chunk = (int) Math.min(left, BUFFER_BYTES);
        ensureBuffered(chunk);
        BufferChecksum.update(crc, buffer, buffer.position(), chunk);
        skip(chunk);
        left -= chunk;
      }
      if ((int) crc.getValue() != checksum) {
        damages.accept(FileDamage.of(name, start, cache, segment, "its slots are not as written"));
      }
    }
  }

  @SuppressWarnings("GuardedBy") // One thread opens a store.
  private void readSegment(StoreIndex storeIndex, Manifest now) throws IOException {
    ensureBuffered(SEGMENT_BYTES);
    int at = buffer.position();
    if (buffer.getInt(at + 44) != BufferChecksum.checksum(buffer, at, 44)) {
      throw damagedException("no segment begins here");
    }
    StoredSegment segment =
        storeIndex.getOrCreateSegment(
            Short.toUnsignedInt(buffer.getShort(at)), Short.toUnsignedInt(buffer.getShort(at + 2)));
    int slots = buffer.getInt(at + 4);
    long incarnation = buffer.getLong(at + 8);
    long since = buffer.getLong(at + 16);
    long staleLsn = buffer.getLong(at + 24);
    int runs = buffer.getInt(at + 32);
    int checksum = buffer.getInt(at + 40);
    skip(SEGMENT_BYTES);
    boolean isOld = incarnation < now.incarnations().getOrDefault(segment.address(), 0L);
    if (!isOld) {
      segment.incarnation = incarnation;
      segment.wantedIncarnation = incarnation;
      segment.indexedFromLsn = since;
      segment.staleLsn = staleLsn;
      segment.table.reserve(slots);
    }
    crc.reset();
    for (int index = 0; index < runs; index++) {
      ensureBuffered(RUN_BYTES);
      int from = buffer.position();
      RunFile run = storeIndex.runs().get(buffer.getInt(from));
      if (run != null && !isOld) {
        run.countLive(segment.address(), buffer.getLong(from + 8));
      }
      BufferChecksum.update(crc, buffer, from, RUN_BYTES);
      skip(RUN_BYTES);
    }
    readSlots(storeIndex, now.neededFromLsn(), segment, slots, isOld);
    if ((int) crc.getValue() != checksum) {
      throw new DamagedException(
          FileDamage.of(
              name, offset, segment.cacheId, segment.segmentId, "its slots are not as written"));
    }
  }

  @SuppressWarnings("GuardedBy") // One thread opens a store.
  private void readSlots(
      StoreIndex storeIndex, long from, StoredSegment segment, int slots, boolean isOld)
      throws IOException {
    for (int left = slots; left > 0; ) {
      int chunk = Math.min(left, BUFFER_BYTES / SLOT_BYTES);
      ensureBuffered(chunk * SLOT_BYTES);
      int at = buffer.position();
      BufferChecksum.update(crc, buffer, at, chunk * SLOT_BYTES);
      if (!isOld) {
        for (int index = 0; index < chunk; index++) {
          long location = buffer.getLong(at + index * SLOT_BYTES + 4);
          if (isFilePresent(storeIndex, from, location)) {
            segment.table.add(buffer.getInt(at + index * SLOT_BYTES), location);
            segment.keyCount += RecordLocation.isRemoved(location) ? 0 : 1;
          }
        }
      }
      skip(chunk * SLOT_BYTES);
      left -= chunk;
    }
  }

  private static boolean isFilePresent(StoreIndex storeIndex, long from, long location) {
    return RecordLocation.isInRun(location)
        ? storeIndex.runs().get(RecordLocation.runId(location)) != null
        : RecordLocation.lsn(location) >= from;
  }

  /** Ensures that the buffer has so many bytes from its position on. */
  private void ensureBuffered(int length) throws IOException {
    if (buffer.remaining() < length) {
      buffer.compact();
      int _ = file.readFully(buffer, offset + buffer.position());
      buffer.flip();
      if (buffer.remaining() < length) {
        throw damagedException("it ends within " + length + " bytes");
      }
    }
  }

  private void skip(int length) {
    buffer.position(buffer.position() + length);
    offset += length;
  }

  private DamagedException damagedException(String problem) {
    return new DamagedException(name, offset, problem);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
