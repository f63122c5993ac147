package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one segment, ordered by hash, then by key, both unsigned.
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
 *   <li>The link of an entry that was replaced or purged never changes again. A reader on such an
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
 * <p><b>Threading:</b> any thread reads without a lock; writing is guarded by the segment's lock,
 * which the caller holds.
 */
@SuppressWarnings("ReferenceEquality") // A table is unchanged if it is the same array.
public final class SegmentEntries {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);
  private static final VarHandle LIVE_COUNT;
  private static final VarHandle TOMBSTONE_COUNT;
  private static final VarHandle BYTES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LIVE_COUNT = lookup.findVarHandle(SegmentEntries.class, "liveCount", int.class);
      TOMBSTONE_COUNT = lookup.findVarHandle(SegmentEntries.class, "tombstoneCount", int.class);
      BYTES = lookup.findVarHandle(SegmentEntries.class, "bytes", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

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
  private volatile @Nullable Entry[] table = new @Nullable Entry[MIN_TABLE_LENGTH];

  private final ExpiryHeap expiryHeap = new ExpiryHeap();
  private int liveCount;
  private int tombstoneCount;
  private long bytes;

  /** Creates a segment without entries. */
  public SegmentEntries() {}

  /**
   * Finds the entry of a key, which may be a tombstone.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  public @Nullable Entry find(long hash, byte[] key, int offset, int length) {
    @Nullable Entry[] current = table;
    while (true) {
      Entry entry = firstOf(current, bucketOf(current, hash));
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
      @Nullable Entry[] newTable = table;
      if (newTable == current) {
        return null;
      }
      current = newTable;
    }
  }

  /**
   * Puts an entry in its place, whatever its version, and removes the previous entry of its key.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   *
   * @return the previous entry of the key, which may be a tombstone, or null
   * @throws IllegalStateException if this entry was put before, here or elsewhere
   */
  public @Nullable Entry put(Entry entry) {
    if (!entry.isUnlinked()) {
      throw new IllegalStateException(
          "an entry is put once; make another of the same bytes to put it again: " + entry);
    }
    @Nullable Entry[] current = table;
    int bucket = bucketOf(current, entry.hash());
    Entry predecessor = null;
    Entry candidate = current[bucket];
    int order = -1;
    while (candidate != null
        && (order = candidate.compareOrder(entry.hash(), entry.bytes(), 0, entry.keyLength()))
            < 0) {
      predecessor = candidate;
      candidate = candidate.next();
    }
    Entry previous = candidate != null && order == 0 ? candidate : null;
    entry.next(previous == null ? candidate : previous.next());
    link(current, bucket, predecessor, entry);
    adjustCounts(entry, 1);
    expiryHeap.replace(previous, entry);
    if (previous != null) {
      adjustCounts(previous, -1);
    } else if (size() > current.length && current.length < MAX_TABLE_LENGTH) {
      grow(current);
    }
    return previous;
  }

  /**
   * Removes this entry and leaves no tombstone, unless it was replaced or removed before.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   *
   * @return whether it was present
   */
  public boolean purge(Entry entry) {
    @Nullable Entry[] current = table;
    int bucket = bucketOf(current, entry.hash());
    Entry predecessor = null;
    Entry candidate = current[bucket];
    while (candidate != null && candidate != entry) {
      predecessor = candidate;
      candidate = candidate.next();
    }
    if (candidate == null) {
      return false;
    }
    link(current, bucket, predecessor, entry.next());
    adjustCounts(entry, -1);
    expiryHeap.replace(entry, null);
    if (current.length > MIN_TABLE_LENGTH && size() < current.length / 8) {
      shrink(current);
    }
    return true;
  }

  /**
   * Removes everything at once.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   */
  public void clear() {
    table = new @Nullable Entry[MIN_TABLE_LENGTH];
    expiryHeap.clear();
    LIVE_COUNT.setRelease(this, 0);
    TOMBSTONE_COUNT.setRelease(this, 0);
    BYTES.setRelease(this, 0L);
  }

  /**
   * The number of keys that have a value.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  public int liveCount() {
    return (int) LIVE_COUNT.getAcquire(this);
  }

  /**
   * The number of keys that have a tombstone.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  public int tombstoneCount() {
    return (int) TOMBSTONE_COUNT.getAcquire(this);
  }

  /**
   * The heap that all entries take, including tombstones: the sum of {@link Entry#sizeBytes}.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  public long sizeBytes() {
    return (long) BYTES.getAcquire(this);
  }

  /**
   * The earliest time on the segment's clock at which an entry expires, or {@link ExpiryTime#NEVER}
   * if none does.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  public long earliestExpiryMillis() {
    return expiryHeap.earliestMillis();
  }

  /**
   * Returns the entry that expires first, or null if none has expired by a given time. The entry
   * stays until it is replaced or purged.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   */
  public @Nullable Entry findDue(long nowMillis) {
    return expiryHeap.earliestMillis() <= nowMillis ? expiryHeap.peekEarliest() : null;
  }

  /**
   * Visits the entries after a cursor in order, including tombstones, until the visitor stops or
   * none is left. A key is visited at most once, and exactly once if it is present throughout. If a
   * key is replaced meanwhile, one of its versions is visited.
   *
   * <p><b>Threading:</b> any thread, without a lock. The visitor may be called while other threads
   * write.
   *
   * @return where to continue, or {@link SegmentCursor#END} if all entries were visited
   */
  public SegmentCursor scan(SegmentCursor from, Visitor visitor) {
    if (from.kind() == SegmentCursor.Kind.END) {
      return SegmentCursor.END;
    }
    Entry last = null;
    while (true) {
      @Nullable Entry[] current = table;
      int prefetchedTo = 0;
      int bucket = last != null ? bucketOf(current, last.hash()) : bucketOf(current, from.hash());
      Entry entry =
          last != null ? firstAfter(current, bucket, last) : firstAfter(current, bucket, from);
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

  /** A callback for each entry of a scan. */
  @FunctionalInterface
  public interface Visitor {
    /** Visits an entry and decides how the scan continues. */
    VisitResult visit(Entry entry);
  }

  /** How a scan continues after an entry. */
  public enum VisitResult {
    /** The entry is consumed; continue with the next one. */
    CONTINUE,
    /** The entry is consumed; stop, and leave the cursor after it. */
    STOP_AFTER,
    /** The entry is not consumed; stop, and leave the cursor before it. */
    STOP_BEFORE
  }

  /** For tests: the number of buckets. */
  int tableLength() {
    return table.length;
  }

  private int size() {
    return liveCount + tombstoneCount;
  }

  /** Doubles the table. No other thread writes meanwhile; readers use either table. */
  private void grow(@Nullable Entry[] current) {
    @Nullable Entry[] grown = new @Nullable Entry[current.length * 2];
    @Nullable Entry[] cuts = new @Nullable Entry[current.length];
    for (int bucket = 0; bucket < current.length; bucket++) {
      Entry lower = null;
      Entry upper = current[bucket];
      while (upper != null && (bucketOf(grown, upper.hash()) & 1) == 0) {
        lower = upper;
        upper = upper.next();
      }
      grown[2 * bucket] = lower == null ? null : current[bucket];
      grown[2 * bucket + 1] = upper;
      cuts[bucket] = upper == null ? null : lower;
    }
    table = grown;
    for (Entry lower : cuts) {
      if (lower != null) {
        lower.next(null);
      }
    }
  }

  /** Halves the table. No other thread writes meanwhile; readers use either table. */
  private void shrink(@Nullable Entry[] current) {
    @Nullable Entry[] shrunk = new @Nullable Entry[current.length / 2];
    for (int bucket = 0; bucket < shrunk.length; bucket++) {
      Entry lower = current[2 * bucket];
      Entry upper = current[2 * bucket + 1];
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
  private static int prefetch(@Nullable Entry[] table, int from) {
    int to = Math.min(from + PREFETCH_BUCKETS, table.length);
    long sum = 0;
    for (int bucket = from; bucket < to; bucket++) {
      Entry first = firstOf(table, bucket);
      if (first != null) {
        sum += first.hash();
      }
    }
    for (int bucket = from; bucket < to; bucket++) {
      Entry first = firstOf(table, bucket);
      if (first != null) {
        sum += first.bytes().length;
        Entry second = first.next();
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

  private static Entry lastOf(Entry entry) {
    Entry last = entry;
    for (Entry next = last.next(); next != null; next = next.next()) {
      last = next;
    }
    return last;
  }

  private static void link(
      @Nullable Entry[] table, int bucket, @Nullable Entry predecessor, @Nullable Entry entry) {
    if (predecessor == null) {
      SLOT.setRelease(table, bucket, entry);
    } else {
      predecessor.next(entry);
    }
  }

  private void adjustCounts(Entry entry, int sign) {
    if (entry.isTombstone()) {
      TOMBSTONE_COUNT.setRelease(this, tombstoneCount + sign);
    } else {
      LIVE_COUNT.setRelease(this, liveCount + sign);
    }
    BYTES.setRelease(this, bytes + (long) sign * entry.sizeBytes());
  }

  /** Returns the first entry of a bucket after a position, or null if the bucket holds none. */
  private static @Nullable Entry firstAfter(@Nullable Entry[] table, int bucket, Entry place) {
    return firstAfter(firstOf(table, bucket), place.hash(), place.bytes(), place.keyLength());
  }

  private static @Nullable Entry firstAfter(
      @Nullable Entry[] table, int bucket, SegmentCursor place) {
    Entry first = firstOf(table, bucket);
    return place.kind() == SegmentCursor.Kind.START
        ? first
        : firstAfter(first, place.hash(), place.key(), place.key().length);
  }

  private static @Nullable Entry firstAfter(
      @Nullable Entry first, long hash, byte[] key, int keyLength) {
    Entry entry = first;
    while (entry != null && entry.compareOrder(hash, key, 0, keyLength) <= 0) {
      entry = entry.next();
    }
    return entry;
  }

  private static @Nullable Entry firstOf(@Nullable Entry[] table, int bucket) {
    return (Entry) SLOT.getAcquire(table, bucket);
  }

  /** The bucket of a hash: as many high bits as the table's length has address bits. */
  private static int bucketOf(@Nullable Entry[] table, long hash) {
    return (int) (hash >>> (Integer.numberOfLeadingZeros(table.length) + 33));
  }
}
