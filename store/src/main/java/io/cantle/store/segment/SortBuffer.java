package io.cantle.store.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sorts entries of the log for a run. Entries are stored outside the heap in the order in which
 * they come, and returned in the order of a run.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class SortBuffer implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 20;

  private final Arena arena = Arena.ofConfined();
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private final Map<Integer, SegmentGroup> groups = new TreeMap<>(Integer::compareUnsigned);
  private ByteBuffer last = ByteBuffer.allocate(0);
  private long bytes;

  /** The entries of one segment, by their offsets in this buffer. */
  private static final class SegmentGroup {
    long incarnation;
    int count;
    long[] offsets = new long[16];
    long[] locations = new long[16];

    void add(long place, long location) {
      if (count == offsets.length) {
        offsets = Arrays.copyOf(offsets, 2 * count);
        locations = Arrays.copyOf(locations, 2 * count);
      }
      offsets[count] = place;
      locations[count] = location;
      count++;
    }
  }

  /** Visits entries in the order of a run. */
  interface StoredRecordVisitor {
    /** Visits one entry. */
    void visit(StoredRecord stored) throws IOException;
  }

  /** How many bytes were collected. */
  long bytes() {
    return bytes;
  }

  void add(StoredRecord stored) {
    int address = StoredSegment.addressOf(stored.cache(), stored.segment());
    SegmentGroup group = groups.computeIfAbsent(address, _ -> new SegmentGroup());
    if (stored.incarnation() > group.incarnation) {
      // The segment was dropped between two of the records.
      group.incarnation = stored.incarnation();
      group.count = 0;
    }
    int length = (int) RunRecord.length(stored.entry());
    if (last.remaining() < length) {
      MemorySegment memory = arena.allocate(Math.max(length, CHUNK_BYTES), 8);
      last = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      chunks.add(last);
    }
    int at = last.position();
    RunRecord.write(stored.entry(), stored.isRemoved(), last, at, 0);
    last.position(at + length);
    bytes += length;
    group.add((long) (chunks.size() - 1) << 32 | at, stored.location());
  }

  /** Shows the visitor all entries, sorted segment by segment. */
  void visitEntries(StoredRecordVisitor visitor) throws IOException {
    for (Map.Entry<Integer, SegmentGroup> entry : groups.entrySet()) {
      SegmentGroup group = entry.getValue();
      StoredRecord[] sorted = new StoredRecord[group.count];
      for (int index = 0; index < sorted.length; index++) {
        long place = group.offsets[index];
        ByteBuffer chunk = chunks.get((int) (place >>> 32));
        sorted[index] =
            new StoredRecord(
                StoredSegment.cacheOf(entry.getKey()),
                StoredSegment.segmentOf(entry.getKey()),
                group.incarnation,
                group.locations[index],
                RunRecord.length(chunk, (int) place),
                RunRecord.readEntry(chunk, (int) place));
      }
      Arrays.sort(sorted, StoredRecord.RUN_ORDER);
      for (StoredRecord stored : sorted) {
        visitor.visit(stored);
      }
    }
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    arena.close();
  }
}
