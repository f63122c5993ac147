package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A container on the heap, as an {@link EntryTable}, which has the argument why readers need no
 * lock.
 *
 * <p>A table that is full, or nearly empty, is copied. The new one is published when it is whole,
 * and the old one never changes again, so a reader of the old one sees what was true when it began.
 *
 * <p><b>Threading:</b> as {@link Container}.
 */
@SuppressWarnings("ReferenceEquality") // A table is unchanged, an entry present, if it is the same.
public final class HeapContainer implements Container {
  private static final VarHandle LIVE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "liveCount", int.class);
  private static final VarHandle TOMBSTONE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "tombstoneCount", int.class);
  private static final VarHandle BYTES =
      HeapEntry.field(MethodHandles.lookup(), "bytes", long.class);

  /**
   * About as many reads as a processor can have in flight; their entries fit its first-level cache.
   */
  private static final int PREFETCH_SLOTS = 16;

  private static final long IMPROBABLE_SUM = 0x5851_F42D_4C95_7F2DL;

  private volatile EntryTable table = EntryTable.EMPTY;

  private final ExpiryHeap expiryHeap = new ExpiryHeap();
  private int liveCount;
  private int tombstoneCount;
  private long bytes;

  private final boolean keepsObjects;

  /** Creates a segment without entries. */
  public HeapContainer() {
    this(false);
  }

  /**
   * Creates a segment without entries.
   *
   * @param keepsObjects whether entries are to keep objects in the place of bytes where they can
   */
  public HeapContainer(boolean keepsObjects) {
    this.keepsObjects = keepsObjects;
  }

  @Override
  public @Nullable Entry get(long hash, byte[] key, int offset, int length) {
    return table.find(hash, null, key, offset, length);
  }

  @Override
  public @Nullable Entry get(
      long hash, @Nullable Object keyObject, byte[] key, int offset, int length) {
    return table.find(hash, keyObject, key, offset, length);
  }

  @Override
  public <T> @Nullable T read(
      long hash, byte[] key, int offset, int length, EntryReader<T> reader) {
    Entry entry = get(hash, key, offset, length);
    return entry == null ? null : reader.read(entry);
  }

  @Override
  public @Nullable Entry findLive(long hash) {
    return table.findLive(hash);
  }

  @Override
  public boolean contains(Entry entry) {
    int slot = table.slotOf((HeapEntry) entry);
    return slot >= 0 && table.at(slot) == entry;
  }

  @Override
  public @Nullable MemoryShortage shortageFor(Entry entry) {
    return null;
  }

  @Override
  public void put(Entry added) {
    HeapEntry entry = (HeapEntry) added;
    EntryTable current = table;
    int slot = current.slotOf(entry);
    HeapEntry previous = null;
    if (slot >= 0) {
      previous = current.at(slot);
      current.replace(slot, entry);
    } else if (!current.tryInsert(~slot, entry)) {
      table = current.copyWith(entry, size());
    }
    adjustCounts(entry, 1);
    expiryHeap.replace(previous, entry);
    if (previous != null) {
      adjustCounts(previous, -1);
    }
  }

  @Override
  public @Nullable Object replaceObject(
      Entry present, Object value, int valueBytes, int epoch, long index) {
    HeapEntry entry = (HeapEntry) present;
    if (!entry.canReplaceObject(valueBytes, epoch, index)) {
      return null;
    }
    Object before = entry.decodedValue();
    int more = -entry.sizeBytes();
    entry.replaceObject(value, valueBytes, epoch, index);
    more += entry.sizeBytes();
    if (more != 0) {
      BYTES.setRelease(this, bytes + more);
    }
    return before;
  }

  @Override
  public boolean replaceObject(Entry present, Entry added) {
    EntryObjects objects = ((HeapEntry) added).plainObjects();
    return objects != null
        && replaceObject(
                present, objects.value(), objects.valueBytes(), added.epoch(), added.index())
            != null;
  }

  @Override
  public boolean remove(Entry entry) {
    EntryTable current = table;
    int slot = current.slotOf((HeapEntry) entry);
    if (slot < 0 || current.at(slot) != entry) {
      return false;
    }
    current.remove(slot);
    adjustCounts((HeapEntry) entry, -1);
    expiryHeap.replace(entry, null);
    if (current.length() > EntryTable.MIN_LENGTH && size() < current.length() / 8) {
      table = current.copyShorter();
    }
    return true;
  }

  @Override
  public void clear() {
    EntryTable cleared = table;
    table = EntryTable.EMPTY;
    for (int slot = 0; keepsObjects && slot < cleared.slotCount(); slot++) {
      HeapEntry entry = cleared.at(slot);
      if (entry != null) {
        // Visitors were given copies.
        entry.release();
      }
    }
    expiryHeap.clear();
    LIVE_COUNT.setRelease(this, 0);
    TOMBSTONE_COUNT.setRelease(this, 0);
    BYTES.setRelease(this, 0L);
  }

  @Override
  public int liveCount() {
    return (int) LIVE_COUNT.getAcquire(this);
  }

  @Override
  public int tombstoneCount() {
    return (int) TOMBSTONE_COUNT.getAcquire(this);
  }

  @Override
  public long sizeBytes() {
    return (long) BYTES.getAcquire(this);
  }

  @Override
  public int sizeBytes(Entry entry) {
    return entry.sizeBytes();
  }

  @Override
  public boolean keepsEntries() {
    return true;
  }

  @Override
  public boolean keepsObjects() {
    return keepsObjects;
  }

  @Override
  public long earliestExpiryMillis() {
    return expiryHeap.earliestMillis();
  }

  @Override
  public @Nullable Entry findDue(long nowMillis) {
    return expiryHeap.earliestMillis() <= nowMillis ? expiryHeap.peekEarliest() : null;
  }

  @Override
  public SegmentCursor scan(SegmentCursor from, EntryVisitor visitor) {
    if (from.kind() == SegmentCursor.CursorKind.END) {
      return SegmentCursor.END;
    }
    HeapEntry last = null;
    while (true) {
      EntryTable current = table;
      int slot = current.home(last != null ? last.hash() : from.hash());
      int prefetchedTo = slot;
      for (; slot < current.slotCount(); slot++) {
        if (slot == prefetchedTo) {
          prefetchedTo = prefetch(current, slot);
        }
        HeapEntry entry = current.at(slot);
        if (entry == null || !isAfter(entry, last, from)) {
          continue;
        }
        VisitResult visit = visitor.visit(keepsObjects ? entry.snapshot() : entry);
        if (visit != VisitResult.CONTINUE) {
          return visit == VisitResult.STOP_AFTER
              ? SegmentCursor.after(entry)
              : last == null ? from : SegmentCursor.after(last);
        }
        last = entry;
        if (table != current) {
          break;
        }
      }
      if (table == current) {
        return SegmentCursor.END;
      }
    }
  }

  /**
   * Whether a scan that began at a cursor and has visited a last entry, or none, is to visit one.
   */
  private static boolean isAfter(HeapEntry entry, @Nullable HeapEntry last, SegmentCursor from) {
    if (last != null) {
      return entry.compareOrder(last) > 0;
    }
    return from.kind() == SegmentCursor.CursorKind.START
        || entry.compareOrder(from.hash(), from.key(), 0, from.key().length) > 0;
  }

  @Override
  public void markUsed(Entry entry) {
    HeapEntry present = (HeapEntry) entry;
    if (!present.isUsed() && !present.isEvicted()) {
      present.setUsed(true);
    }
  }

  @Override
  public boolean isUsed(Entry entry) {
    return ((HeapEntry) entry).isUsed();
  }

  @Override
  public boolean testAndClearUsed(Entry entry) {
    boolean used = isUsed(entry);
    if (used) {
      ((HeapEntry) entry).setUsed(false);
    }
    return used;
  }

  /** For tests: the length of the table. */
  int tableLength() {
    return table.length();
  }

  private int size() {
    return liveCount + tombstoneCount;
  }

  /**
   * Reads the entries of the next few slots before the walk reaches them, so that the processor
   * fetches many at once.
   *
   * @return the slot up to which entries were read
   */
  private static int prefetch(EntryTable table, int from) {
    int to = Math.min(from + PREFETCH_SLOTS, table.slotCount());
    long sum = 0;
    for (int slot = from; slot < to; slot++) {
      HeapEntry entry = table.at(slot);
      if (entry != null) {
        sum += entry.hash();
      }
    }
    for (int slot = from; slot < to; slot++) {
      HeapEntry entry = table.at(slot);
      if (entry != null) {
        sum += entry.contentBytes();
      }
    }
    if (sum == IMPROBABLE_SUM) {
      // Has no effect, but without a use of the sum the compiler would drop the reads.
      Thread.onSpinWait();
    }
    return to;
  }

  private void adjustCounts(HeapEntry entry, int sign) {
    if (entry.isTombstone()) {
      TOMBSTONE_COUNT.setRelease(this, tombstoneCount + sign);
    } else {
      LIVE_COUNT.setRelease(this, liveCount + sign);
    }
    BYTES.setRelease(this, bytes + (long) sign * entry.sizeBytes());
  }
}
