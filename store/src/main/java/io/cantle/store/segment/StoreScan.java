package io.cantle.store.segment;

import io.cantle.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A scan of a segment in order. The index is in that order already, except for keys whose hashes
 * have the same high half, and so is each run. So walking the index merges all runs and skips
 * garbage. Of a run, the scan reads a window that only moves forward and grows while it does. What
 * is still in the log is read record by record.
 *
 * <p><b>Threading:</b> one thread.
 */
final class StoreScan {
  private static final int BATCH_SLOTS = 256;
  private static final int MIN_WINDOW_BYTES = 1 << 12;
  private static final int MAX_WINDOW_BYTES = 1 << 17;
  private static final Comparator<StoredEntry> BY_KEY_ORDER =
      (one, other) -> one.compareOrder(other.hash(), other.key());

  private final StoreIndex index;
  private final StoredSegment segment;
  private final Map<Integer, ReadWindow> windows = new HashMap<>();
  private final CRC32C crc = new CRC32C();
  private final SlotTable.CopyCount count = new SlotTable.CopyCount();

  private int[] fingerprints = new int[BATCH_SLOTS];
  private long[] locations = new long[BATCH_SLOTS];
  private StoreCursor cursor;
  private int nextFingerprint;
  private long incarnation;

  StoreScan(StoreIndex index, StoredSegment segment, StoreCursor from) {
    this.index = index;
    this.segment = segment;
    this.cursor = from;
    this.nextFingerprint =
        from.kind() == StoreCursor.Kind.AFTER ? SlotTable.fingerprintOf(from.hash()) : 0;
  }

  /**
   * Shows the visitor entries until there are no more or it wants none; returns where to continue.
   */
  StoreCursor run(EntryVisitor visitor) throws IOException {
    if (cursor.kind() == StoreCursor.Kind.END) {
      return cursor;
    }
    while (true) {
      boolean isLast = fillBatch();
      int at = 0;
      while (at < count.value) {
        int end = at + 1;
        while (end < count.value && fingerprints[end] == fingerprints[at]) {
          end++;
        }
        List<StoredEntry> group = readEntries(at, end);
        if (group == null) {
          break;
        }
        for (StoredEntry entry : group) {
          if (cursor.precedes(entry)) {
            cursor = StoreCursor.after(entry.hash(), entry.key());
            if (!visitor.visit(entry)) {
              return cursor;
            }
          }
        }
        at = end;
        nextFingerprint = fingerprints[end - 1] + 1;
        isLast |= nextFingerprint == 0; // There is no higher fingerprint.
      }
      if (at >= count.value && isLast) {
        return StoreCursor.END;
      }
    }
  }

  /**
   * Copies a part of the index, with all slots of each fingerprint; returns whether it was the
   * last.
   */
  private boolean fillBatch() throws StoreException {
    synchronized (segment) {
      segment.requireOpen();
      incarnation = segment.incarnation;
      SlotTable table = segment.table;
      int from = table.seekSlot(nextFingerprint);
      while (table.copySlots(from, fingerprints, locations, count) < table.slotCount()) {
        int whole = count.value - 1;
        while (whole > 0 && fingerprints[whole] == fingerprints[whole - 1]) {
          whole--;
        }
        if (whole > 0) {
          count.value = whole;
          return false;
        }
        fingerprints = new int[2 * fingerprints.length];
        locations = new long[fingerprints.length];
      }
      return true;
    }
  }

  /** Reads the entries of one fingerprint, in order; null if the index has changed meanwhile. */
  private @Nullable List<StoredEntry> readEntries(int from, int end) throws IOException {
    List<StoredEntry> group = new ArrayList<>(end - from);
    for (int at = from; at < end; at++) {
      if (!RecordLocation.isRemoved(locations[at])) {
        try {
          group.add(readEntries(locations[at]).entry());
        } catch (IOException e) {
          StoreIndex.requireMoved(segment, fingerprints[at], locations[at], e);
          return null;
        }
      }
    }
    if (group.size() > 1) {
      group.sort(BY_KEY_ORDER);
    }
    synchronized (segment) {
      return segment.incarnation == incarnation ? group : null;
    }
  }

  private StoredRecord readEntries(long location) throws IOException {
    if (!RecordLocation.isInRun(location)) {
      return index.read(location);
    }
    RunFile run = index.runs().runAt(location);
    RunRange range = run.rangeOf(segment.address());
    long offset = RecordLocation.offset(location);
    if (range == null || offset < range.start() || offset >= range.end()) {
      return index.read(location);
    }
    return windows.computeIfAbsent(run.id(), _ -> new ReadWindow(run, range)).read(offset);
  }

  /** The part of a range that was read last. */
  private final class ReadWindow {
    private final RunFile run;
    private final RunRange range;
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long base;
    private int size = MIN_WINDOW_BYTES;

    ReadWindow(RunFile run, RunRange range) {
      this.run = run;
      this.range = range;
    }

    StoredRecord read(long offset) throws IOException {
      if (!holds(offset, RunRecord.HEADER_BYTES)) {
        load(offset, RunRecord.HEADER_BYTES);
      }
      long length = RunRecord.length(bytes, (int) (offset - base));
      if (length > range.end() - offset) {
        throw run.damagedException(range, offset, "a record of " + length + " bytes does not fit");
      }
      if (!holds(offset, (int) length)) {
        load(offset, (int) length);
      }
      return run.recordAt(range, bytes, (int) (offset - base), offset, crc);
    }

    private boolean holds(long offset, int length) {
      return offset >= base && offset + length <= base + bytes.limit();
    }

    private void load(long offset, int minBytes) throws IOException {
      long kept = Math.max(0, base + bytes.limit() - offset);
      int wanted = (int) Math.min(Math.max(size, minBytes), range.end() - offset);
      size = Math.min(MAX_WINDOW_BYTES, 2 * size);
      ByteBuffer next = ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN);
      if (offset >= base && kept > 0 && kept <= wanted) {
        next.put(bytes.position((int) (offset - base)));
      }
      long end = offset + next.position();
      int _ = run.read(next, end);
      if (next.position() < minBytes) {
        throw run.damagedException(range, offset, "the file ends");
      }
      bytes = next.flip();
      base = offset;
    }
  }

  @Override
  public String toString() {
    return "scan of segment " + segment.segmentId + " after " + Arrays.toString(cursor.key());
  }
}
