package io.cantle.store.segment;

import io.cantle.store.StoreException;
import io.cantle.store.disk.FileWindow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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

  private final StoreIndex index;
  private final StoredSegment segment;
  private final Map<Integer, FileWindow> windows = new HashMap<>();

  private int[] fingerprints = new int[BATCH_SLOTS];
  private long[] locations = new long[BATCH_SLOTS];
  private int count;
  private StoreCursor cursor;
  private int nextFingerprint;
  private long incarnation;

  StoreScan(StoreIndex index, StoredSegment segment, StoreCursor from) {
    this.index = index;
    this.segment = segment;
    this.cursor = from;
    this.nextFingerprint =
        from.kind() == StoreCursor.StoreCursorKind.AFTER ? SlotTable.fingerprintOf(from.hash()) : 0;
  }

  /**
   * Shows the visitor entries until there are no more or it wants none; returns where to continue.
   */
  StoreCursor run(Predicate<StoredEntry> visitor) throws IOException {
    if (cursor.kind() == StoreCursor.StoreCursorKind.END) {
      return cursor;
    }
    while (true) {
      boolean isLast = fillBatch();
      int at = 0;
      while (at < count) {
        int end = at + 1;
        while (end < count && fingerprints[end] == fingerprints[at]) {
          end++;
        }
        List<StoredEntry> group = readEntries(at, end);
        if (group == null) {
          break;
        }
        for (StoredEntry entry : group) {
          if (cursor.precedes(entry)) {
            cursor = StoreCursor.after(entry.hash(), entry.key());
            if (!visitor.test(entry)) {
              return cursor;
            }
          }
        }
        at = end;
        nextFingerprint = fingerprints[end - 1] + 1;
        isLast |= nextFingerprint == 0; // There is no higher fingerprint.
      }
      if (at >= count && isLast) {
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
      count = 0;
      SlotTable table = segment.table;
      for (int slot = table.seekSlot(nextFingerprint); slot < table.slotCount(); slot++) {
        long location = table.locationAt(slot);
        if (location != RecordLocation.NONE) {
          int print = table.fingerprintOf(slot);
          if (count >= BATCH_SLOTS && print != fingerprints[count - 1]) {
            return false;
          }
          if (count == locations.length) {
            fingerprints = Arrays.copyOf(fingerprints, 2 * count);
            locations = Arrays.copyOf(locations, 2 * count);
          }
          fingerprints[count] = print;
          locations[count] = location;
          count++;
        }
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
          group.add(readRecord(locations[at]).entry());
        } catch (IOException e) {
          StoreIndex.requireMoved(segment, fingerprints[at], locations[at], e);
          return null;
        }
      }
    }
    if (group.size() > 1) {
      group.sort(StoredEntry::compareOrder);
    }
    synchronized (segment) {
      return segment.incarnation == incarnation ? group : null;
    }
  }

  private StoredRecord readRecord(long location) throws IOException {
    if (!RecordLocation.isInRun(location)) {
      return index.read(location);
    }
    RunFile run = index.runs().runAt(location);
    RunRange range = run.rangeOf(segment.address());
    long offset = RecordLocation.offset(location);
    if (range == null || offset < range.start() || offset >= range.end()) {
      return index.read(location);
    }
    FileWindow window =
        windows.computeIfAbsent(
            run.id(), _ -> run.window(range.end(), MIN_WINDOW_BYTES, MAX_WINDOW_BYTES));
    return run.read(range, offset, window);
  }
}
