package io.cantle.store.segment;

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
 * Shows a segment in order. The index is in that order already, but for keys whose hashes have the
 * same high half, and so is each run: walking the index merges them all and skips what is not
 * wanted. Of a run, a window is read that moves forward only and grows while it does; what is still
 * in the log is read record by record.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Scan {
  private static final int BATCH = 256;
  private static final int FIRST_WINDOW_BYTES = 1 << 12;
  private static final int LAST_WINDOW_BYTES = 1 << 17;
  private static final Comparator<StoredEntry> BY_PLACE =
      (one, other) -> one.comparePlace(other.hash(), other.key());

  private final Contents contents;
  private final StoredSegment segment;
  private final Map<Integer, Window> windows = new HashMap<>();
  private final CRC32C crc = new CRC32C();
  private final SlotTable.Count count = new SlotTable.Count();

  private int[] prints = new int[BATCH];
  private long[] locations = new long[BATCH];
  private ScanPlace place;
  private int print;
  private long incarnation;

  Scan(Contents contents, StoredSegment segment, ScanPlace from) {
    this.contents = contents;
    this.segment = segment;
    this.place = from;
    this.print = from.kind() == ScanPlace.Kind.AFTER ? SlotTable.print(from.hash()) : 0;
  }

  /** Shows entries until there are no more or the visitor wants none; where it goes on. */
  ScanPlace run(EntryVisitor visitor) throws IOException {
    if (place.kind() == ScanPlace.Kind.END) {
      return place;
    }
    while (true) {
      boolean isLast = fill();
      int at = 0;
      while (at < count.value) {
        int end = at + 1;
        while (end < count.value && prints[end] == prints[at]) {
          end++;
        }
        List<StoredEntry> group = read(at, end);
        if (group == null) {
          break;
        }
        for (StoredEntry entry : group) {
          if (place.isBefore(entry)) {
            place = ScanPlace.after(entry.hash(), entry.key());
            if (!visitor.visit(entry)) {
              return place;
            }
          }
        }
        at = end;
        print = prints[end - 1] + 1;
        isLast |= print == 0; // There is no higher one.
      }
      if (at >= count.value && isLast) {
        return ScanPlace.END;
      }
    }
  }

  /** Copies a part of the index, with all slots of each print; whether it was the last. */
  private boolean fill() throws StoreException {
    segment.lock.lock();
    try {
      segment.mustBeOpen();
      incarnation = segment.incarnation;
      SlotTable table = segment.table;
      int from = table.seek(print);
      while (table.copy(from, prints, locations, count) < table.slots()) {
        int whole = count.value - 1;
        while (whole > 0 && prints[whole] == prints[whole - 1]) {
          whole--;
        }
        if (whole > 0) {
          count.value = whole;
          return false;
        }
        prints = new int[2 * prints.length];
        locations = new long[prints.length];
      }
      return true;
    } finally {
      segment.lock.unlock();
    }
  }

  /** Reads the entries of one print, in order; null if the index has changed since. */
  private @Nullable List<StoredEntry> read(int from, int end) throws IOException {
    List<StoredEntry> group = new ArrayList<>(end - from);
    for (int at = from; at < end; at++) {
      if (!Location.isRemoved(locations[at])) {
        try {
          group.add(read(locations[at]).entry());
        } catch (IOException e) {
          Contents.mustHaveMoved(segment, prints[at], locations[at], e);
          return null;
        }
      }
    }
    if (group.size() > 1) {
      group.sort(BY_PLACE);
    }
    segment.lock.lock();
    try {
      return segment.incarnation == incarnation ? group : null;
    } finally {
      segment.lock.unlock();
    }
  }

  private Stored read(long location) throws IOException {
    if (!Location.isInRun(location)) {
      return contents.read(location);
    }
    RunFile run = contents.runs().at(location);
    Range range = run.range(segment.address());
    long offset = Location.offset(location);
    if (range == null || offset < range.start() || offset >= range.end()) {
      return contents.read(location);
    }
    return windows.computeIfAbsent(run.id(), _ -> new Window(run, range)).read(offset);
  }

  /** The part of a range that was read last. */
  private final class Window {
    private final RunFile run;
    private final Range range;
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long base;
    private int size = FIRST_WINDOW_BYTES;

    Window(RunFile run, Range range) {
      this.run = run;
      this.range = range;
    }

    Stored read(long offset) throws IOException {
      if (!holds(offset, RunRecord.HEAD_BYTES)) {
        load(offset, RunRecord.HEAD_BYTES);
      }
      long length = RunRecord.length(bytes, (int) (offset - base));
      if (length > range.end() - offset) {
        throw run.damaged(range, offset, "a record of " + length + " bytes does not fit");
      }
      if (!holds(offset, (int) length)) {
        load(offset, (int) length);
      }
      return run.stored(range, bytes, (int) (offset - base), offset, crc);
    }

    private boolean holds(long offset, int length) {
      return offset >= base && offset + length <= base + bytes.limit();
    }

    private void load(long offset, int least) throws IOException {
      long kept = Math.max(0, base + bytes.limit() - offset);
      int wanted = (int) Math.min(Math.max(size, least), range.end() - offset);
      size = Math.min(LAST_WINDOW_BYTES, 2 * size);
      ByteBuffer next = ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN);
      if (offset >= base && kept > 0 && kept <= wanted) {
        next.put(bytes.position((int) (offset - base)));
      }
      long end = offset + next.position();
      int _ = run.read(next, end);
      if (next.position() < least) {
        throw run.damaged(range, offset, "the file ends");
      }
      bytes = next.flip();
      base = offset;
    }
  }

  @Override
  public String toString() {
    return "scan of segment " + segment.segment + " after " + Arrays.toString(place.key());
  }
}
