package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A container on the heap, as a hash table in the order of the hash.
 *
 * <p><b>Design.</b> A chained hash table with two differences. First, the table is indexed by the
 * high bits of the hash and every chain is sorted. Walking the table therefore visits entries in
 * order, and a key names a position in it (see {@link SegmentCursor}). Second, when the table
 * doubles, a chain is cut in two where a bit of the hash turns from 0 to 1; when it halves, two
 * chains are joined. Neither copies or reorders anything.
 *
 * <p>Writers are serialised by the segment's lock. Readers take none. They rely on four invariants:
 *
 * <ol>
 *   <li>A chain is strictly ascending, at all times and along all links, current or not.
 *   <li>The link of an entry that was replaced or removed never changes again. A reader on such an
 *       entry continues with what followed it at that moment. Everything that was present then and
 *       still is lies ahead of the reader. For the same reason an entry is put only once.
 *   <li>An outgrown table never changes again, but its chains do: growing publishes the new table
 *       first and cuts the chains afterwards. A reader that finds the end of a chain, and after
 *       that the table unchanged, has seen the true end. Otherwise it continues in the new table.
 *   <li>Halving joins the chains first and publishes the new table afterwards. A reader can
 *       therefore walk past the end of its bucket. It stays in order, and finds its next bucket by
 *       the last entry it saw rather than by counting.
 * </ol>
 *
 * <p>By 1, a scan never repeats a key. By 2 to 4, it never misses a key that is present throughout,
 * even if the key is replaced meanwhile. A look-up returns what was true at some moment of the
 * call.
 *
 * <p><b>Threading:</b> as {@link Container}.
 */
@SuppressWarnings("ReferenceEquality") // A table is unchanged, an entry present, if it is the same.
public final class HeapContainer implements Container {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(HeapEntry[].class);
  private static final VarHandle LIVE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "liveCount", int.class);
  private static final VarHandle TOMBSTONE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "tombstoneCount", int.class);
  private static final VarHandle BYTES =
      HeapEntry.field(MethodHandles.lookup(), "bytes", long.class);

  /** A small minimum, since a cache has hundreds of segments and most caches are small. */
  private static final int MIN_TABLE_LENGTH = 4;

  private static final int MAX_TABLE_LENGTH = 1 << 28;

  /**
   * About as many reads as a processor can have in flight; their entries fit its first-level cache.
   */
  private static final int PREFETCH_BUCKETS = 16;

  private static final long IMPROBABLE_SUM = 0x5851_F42D_4C95_7F2DL;

  /**
   * The length is a power of two. Volatile, so that a new table is published before a chain is cut.
   */
  private volatile @Nullable HeapEntry[] table = new @Nullable HeapEntry[MIN_TABLE_LENGTH];

  private final ExpiryHeap expiryHeap = new ExpiryHeap();
  private int liveCount;
  private int tombstoneCount;
  private long bytes;

  /** Creates a segment without entries. */
  public HeapContainer() {}

  @Override
  public @Nullable Entry get(long hash, byte[] key, int offset, int length) {
    @Nullable HeapEntry[] current = table;
    while (true) {
      HeapEntry entry = firstOf(current, bucketOf(current, hash));
      while (entry != null) {
        if (entry.hash() == hash) {
          if (entry.hasKey(key, offset, length)) {
            return entry;
          }
        } else if (Long.compareUnsigned(entry.hash(), hash) > 0) {
          return null;
        }
        entry = entry.next();
      }
      @Nullable HeapEntry[] newTable = table;
      if (newTable == current) {
        return null;
      }
      current = newTable;
    }
  }

  @Override
  public @Nullable Entry findLive(long hash) {
    @Nullable HeapEntry[] current = table;
    while (true) {
      HeapEntry entry = firstOf(current, bucketOf(current, hash));
      while (entry != null && Long.compareUnsigned(entry.hash(), hash) <= 0) {
        if (entry.hash() == hash && !entry.isTombstone()) {
          return entry;
        }
        entry = entry.next();
      }
      @Nullable HeapEntry[] newTable = table;
      if (entry != null || newTable == current) {
        return null;
      }
      current = newTable;
    }
  }

  @Override
  public boolean contains(Entry entry) {
    return get(entry.hash(), entry.bytes(), 0, entry.keyLength()) == entry;
  }

  @Override
  public void put(Entry added) {
    HeapEntry entry = (HeapEntry) added;
    if (!entry.isUnlinked()) {
      throw new IllegalStateException(
          "an entry is put once; make another of the same bytes to put it again: " + entry);
    }
    @Nullable HeapEntry[] current = table;
    int bucket = bucketOf(current, entry.hash());
    HeapEntry predecessor = null;
    HeapEntry candidate = current[bucket];
    int order = -1;
    while (candidate != null
        && (order = candidate.compareOrder(entry.hash(), entry.bytes(), 0, entry.keyLength()))
            < 0) {
      predecessor = candidate;
      candidate = candidate.next();
    }
    HeapEntry previous = candidate != null && order == 0 ? candidate : null;
    entry.next(previous == null ? candidate : previous.next());
    link(current, bucket, predecessor, entry);
    adjustCounts(entry, 1);
    expiryHeap.replace(previous, entry);
    if (previous != null) {
      adjustCounts(previous, -1);
    } else if (size() > current.length && current.length < MAX_TABLE_LENGTH) {
      grow(current);
    }
  }

  @Override
  public boolean remove(Entry entry) {
    @Nullable HeapEntry[] current = table;
    int bucket = bucketOf(current, entry.hash());
    HeapEntry predecessor = null;
    HeapEntry candidate = current[bucket];
    while (candidate != null && candidate != entry) {
      predecessor = candidate;
      candidate = candidate.next();
    }
    if (candidate == null) {
      return false;
    }
    link(current, bucket, predecessor, candidate.next());
    adjustCounts(candidate, -1);
    expiryHeap.replace(candidate, null);
    if (current.length > MIN_TABLE_LENGTH && size() < current.length / 8) {
      shrink(current);
    }
    return true;
  }

  @Override
  public void clear() {
    table = new @Nullable HeapEntry[MIN_TABLE_LENGTH];
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
      @Nullable HeapEntry[] current = table;
      int prefetchedTo = 0;
      long hash = last != null ? last.hash() : from.hash();
      int bucket = bucketOf(current, hash);
      HeapEntry entry = firstOf(current, bucket);
      if (last != null) {
        entry = firstAfter(entry, hash, last.bytes(), last.keyLength());
      } else if (from.kind() == SegmentCursor.CursorKind.AFTER) {
        entry = firstAfter(entry, hash, from.key(), from.key().length);
      }
      while (true) {
        while (entry != null) {
          VisitResult visit = visitor.visit(entry);
          if (visit != VisitResult.CONTINUE) {
            return visit == VisitResult.STOP_AFTER
                ? SegmentCursor.after(entry)
                : last == null ? from : SegmentCursor.after(last);
          }
          last = entry;
          entry = entry.next();
        }
        if (table != current) {
          break;
        }
        if (last != null) {
          bucket = Math.max(bucket, bucketOf(current, last.hash()));
        }
        if (++bucket == current.length) {
          return SegmentCursor.END;
        }
        if (bucket >= prefetchedTo) {
          prefetchedTo = prefetch(current, bucket);
        }
        entry = firstOf(current, bucket);
      }
    }
  }

  @Override
  public void markUsed(Entry entry) {
    HeapEntry present = (HeapEntry) entry;
    if (present.usedFlag == 0) {
      present.usedFlag = 1;
    }
  }

  @Override
  public boolean isUsed(Entry entry) {
    return ((HeapEntry) entry).usedFlag == 1;
  }

  @Override
  public boolean testAndClearUsed(Entry entry) {
    boolean used = isUsed(entry);
    if (used) {
      ((HeapEntry) entry).usedFlag = 0;
    }
    return used;
  }

  /** For tests: the number of buckets. */
  int tableLength() {
    return table.length;
  }

  private int size() {
    return liveCount + tombstoneCount;
  }

  /** Doubles the table. No other thread writes meanwhile; readers use either table. */
  private void grow(@Nullable HeapEntry[] current) {
    @Nullable HeapEntry[] grown = new @Nullable HeapEntry[current.length * 2];
    @Nullable HeapEntry[] cuts = new @Nullable HeapEntry[current.length];
    for (int bucket = 0; bucket < current.length; bucket++) {
      HeapEntry lower = null;
      HeapEntry upper = current[bucket];
      while (upper != null && (bucketOf(grown, upper.hash()) & 1) == 0) {
        lower = upper;
        upper = upper.next();
      }
      grown[2 * bucket] = lower == null ? null : current[bucket];
      grown[2 * bucket + 1] = upper;
      cuts[bucket] = upper == null ? null : lower;
    }
    table = grown;
    for (HeapEntry lower : cuts) {
      if (lower != null) {
        lower.next(null);
      }
    }
  }

  /** Halves the table. No other thread writes meanwhile; readers use either table. */
  private void shrink(@Nullable HeapEntry[] current) {
    @Nullable HeapEntry[] shrunk = new @Nullable HeapEntry[current.length / 2];
    for (int bucket = 0; bucket < shrunk.length; bucket++) {
      HeapEntry lower = current[2 * bucket];
      HeapEntry upper = current[2 * bucket + 1];
      shrunk[bucket] = lower == null ? upper : lower;
      if (lower != null && upper != null) {
        lastOf(lower).next(upper);
      }
    }
    table = shrunk;
  }

  /**
   * Reads the entries of the next few buckets before the walk reaches them. The walk must load one
   * entry to find the next; here the processor fetches many at once.
   *
   * @return the bucket up to which entries were read
   */
  private static int prefetch(@Nullable HeapEntry[] table, int from) {
    int to = Math.min(from + PREFETCH_BUCKETS, table.length);
    long sum = 0;
    for (int bucket = from; bucket < to; bucket++) {
      HeapEntry first = firstOf(table, bucket);
      if (first != null) {
        sum += first.hash();
      }
    }
    for (int bucket = from; bucket < to; bucket++) {
      HeapEntry first = firstOf(table, bucket);
      if (first != null) {
        sum += first.bytes().length;
        HeapEntry second = first.next();
        if (second != null) {
          sum += second.hash();
        }
      }
    }
    if (sum == IMPROBABLE_SUM) {
      // Has no effect, but without a use of the sum the compiler would drop the reads.
      Thread.onSpinWait();
    }
    return to;
  }

  private static HeapEntry lastOf(HeapEntry entry) {
    HeapEntry last = entry;
    for (HeapEntry next = last.next(); next != null; next = next.next()) {
      last = next;
    }
    return last;
  }

  private static void link(
      @Nullable HeapEntry[] table,
      int bucket,
      @Nullable HeapEntry predecessor,
      @Nullable HeapEntry entry) {
    if (predecessor == null) {
      SLOT.setRelease(table, bucket, entry);
    } else {
      predecessor.next(entry);
    }
  }

  private void adjustCounts(HeapEntry entry, int sign) {
    if (entry.isTombstone()) {
      TOMBSTONE_COUNT.setRelease(this, tombstoneCount + sign);
    } else {
      LIVE_COUNT.setRelease(this, liveCount + sign);
    }
    BYTES.setRelease(this, bytes + (long) sign * entry.sizeBytes());
  }

  /** Returns the first entry of a chain after a key, or null if the chain ends before. */
  private static @Nullable HeapEntry firstAfter(
      @Nullable HeapEntry first, long hash, byte[] key, int keyLength) {
    HeapEntry entry = first;
    while (entry != null && entry.compareOrder(hash, key, 0, keyLength) <= 0) {
      entry = entry.next();
    }
    return entry;
  }

  private static @Nullable HeapEntry firstOf(@Nullable HeapEntry[] table, int bucket) {
    return (HeapEntry) SLOT.getAcquire(table, bucket);
  }

  /** The bucket of a hash: as many high bits as the table's length has address bits. */
  private static int bucketOf(@Nullable HeapEntry[] table, long hash) {
    return (int) (hash >>> (Integer.numberOfLeadingZeros(table.length) + 33));
  }
}
