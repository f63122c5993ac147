package io.cantle.core.container;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the entries of one segment, ordered by hash, then by key, both unsigned. It keeps one entry
 * of each key, which may be a tombstone. The caller decides which version is the newest.
 *
 * <p>An entry that a container returns does not change when its key is written again, but for
 * {@link #replaceObject}: where objects stand in the place of bytes, {@link #get} returns an entry
 * whose value and version may change, and a scan copies of it. Whether an entry is still present is
 * for {@link #contains} to say: a container may return another object for the same entry each time.
 *
 * <p><b>Threading:</b> any thread reads without a lock, at any time, and sees what was true at some
 * moment of the call. Changing is guarded by the segment's lock, which the caller holds.
 */
public interface Container {
  /**
   * Returns the entry of a key, which may be a tombstone; null for none.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  @Nullable Entry get(long hash, byte[] key, int offset, int length);

  /**
   * Returns the entry of a key as the other {@code get}. An entry that keeps this same object as
   * its decoded key is known by that, and its bytes need not be read.
   *
   * @param keyObject what the bytes encode, if nobody can change it; otherwise null
   */
  default @Nullable Entry get(
      long hash, @Nullable Object keyObject, byte[] key, int offset, int length) {
    return get(hash, key, offset, length);
  }

  /**
   * Has a reader look at the entry of a key where it lies, so that no object is made of it and
   * nothing is copied but what the reader copies.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   *
   * @param reader may be called several times, also with an entry that is half changed; what it
   *     returned the last time counts. So it has no other effect, and its loops end
   * @return null if there is no entry, or the reader returned that
   */
  <T> @Nullable T read(long hash, byte[] key, int offset, int length, EntryReader<T> reader);

  /**
   * Whether an entry has a later version than that of its key which is present, if there is one.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  default boolean isLatest(Entry entry) {
    Boolean isLater =
        read(
            entry.hash(),
            entry.keyBytes(),
            0,
            entry.keyLength(),
            present -> present.compareVersion(entry) < 0);
    return isLater == null || isLater;
  }

  /**
   * Returns an entry with a value whose key has this hash; null for none. Of several keys that
   * share a hash, the one that is first in order counts.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  @Nullable Entry findLive(long hash);

  /**
   * Whether an entry that was put here or returned is still present: its key was neither put again
   * nor removed since. A container that keeps no entry objects may take two puts of one version in
   * one form, as a tombstone or not, evicted or not, for the same: their contents are.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   */
  boolean contains(Entry entry);

  /**
   * Says how much memory is short for an entry, before it is written. {@link #put} puts it all the
   * same, beyond the limit: a backup cannot refuse what its primary has written.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   *
   * @return null if there is room, or no limit of memory applies here
   */
  @Nullable MemoryShortage shortageFor(Entry entry);

  /**
   * Puts an entry in its place, whatever its version, and removes the previous entry of its key.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   *
   * @param entry belongs to this container from now on; it is put once only
   * @throws OutOfMemoryError if the machine has no memory for it; nothing has changed then
   */
  void put(Entry entry);

  /**
   * Removes an entry and leaves no tombstone, unless it is not present any more.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   *
   * @return whether it was present, as {@link #contains} says
   */
  boolean remove(Entry entry);

  /**
   * Removes everything at once.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   */
  void clear();

  /**
   * Visits the entries after a cursor in order, including tombstones, until the visitor stops or
   * none is left. A key is visited at most once, and exactly once if it is present throughout. If a
   * key is replaced meanwhile, one of its versions is visited.
   *
   * <p><b>Threading:</b> any thread, without a lock. The visitor may be called while other threads
   * write, and may write itself if it holds the lock.
   *
   * @return where to continue, or {@link SegmentCursor#END} if all entries were visited
   */
  SegmentCursor scan(SegmentCursor from, EntryVisitor visitor);

  /**
   * Visits entries as {@link #scan} does, for a visitor that looks at no value. A container that
   * makes entries leaves the values out, so these look evicted.
   *
   * <p><b>Threading:</b> as {@link #scan}.
   */
  default SegmentCursor scanKeys(SegmentCursor from, EntryVisitor visitor) {
    return scan(from, visitor);
  }

  /**
   * Visits all entries, as {@link #scan} does.
   *
   * <p><b>Threading:</b> as {@link #scan}.
   */
  default void forEach(Consumer<Entry> task) {
    scan(
        SegmentCursor.START,
        entry -> {
          task.accept(entry);
          return VisitResult.CONTINUE;
        });
  }

  /** All entries, including tombstones. */
  default List<Entry> toList() {
    List<Entry> all = new ArrayList<>();
    forEach(all::add);
    return all;
  }

  /**
   * The number of keys that have a value.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  int liveCount();

  /**
   * The number of keys that have a tombstone.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  int tombstoneCount();

  /**
   * The memory that all entries take, including tombstones: the sum of {@link #sizeBytes(Entry)}.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  long sizeBytes();

  /**
   * The memory that an entry takes here, or would take, without decoded objects.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  int sizeBytes(Entry entry);

  /**
   * Whether it returns the entries that were put, and not others of the same content. Only in these
   * decoded objects are kept.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  boolean keepsEntries();

  /**
   * Gives a present entry another value and version, if it keeps objects in the place of bytes and
   * can do so without another entry. The caller has the lock of the segment.
   *
   * @param valueBytes what the value takes in the heap
   * @return the value before; null if nothing was done
   */
  default @Nullable Object replaceObject(
      Entry present, Object value, int valueBytes, int epoch, long index) {
    return null;
  }

  /**
   * As the other {@code replaceObject}, with the value and the version of an entry of the same key.
   *
   * @return false if nothing was done
   */
  default boolean replaceObject(Entry present, Entry added) {
    return false;
  }

  /**
   * Whether entries are to keep objects in the place of bytes where they can.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  default boolean keepsObjects() {
    return false;
  }

  /**
   * The earliest time on the segment's clock at which an entry expires, or {@link ExpiryTime#NEVER}
   * if none does.
   *
   * <p><b>Threading:</b> any thread, without a lock.
   */
  long earliestExpiryMillis();

  /**
   * Returns the entry that expires first, or null if none has expired by a given time. The entry
   * stays until it is replaced or removed.
   *
   * <p><b>Threading:</b> guarded by the segment's lock.
   */
  @Nullable Entry findDue(long nowMillis);

  /**
   * Marks an entry as used, so that it, or its value, is not evicted soon. The mark of one that is
   * not present any more, or whose value is evicted, has no effect.
   *
   * <p><b>Threading:</b> any thread, without a lock; so are the other methods of this mark, whose
   * races do no harm.
   */
  void markUsed(Entry entry);

  /** Whether a present entry was used since the last {@link #testAndClearUsed}. */
  boolean isUsed(Entry entry);

  /** Whether a present entry was used since the last call; clears the mark. */
  boolean testAndClearUsed(Entry entry);

  /**
   * The memory that containers have taken together, and how much they may.
   *
   * @param usedBytes what is taken
   * @param limitBytes what may be
   */
  record MemoryShortage(long usedBytes, long limitBytes) {}

  /** Looks at an entry where it lies. */
  @FunctionalInterface
  interface EntryReader<T> {
    /** Returns what is wanted of an entry, which it does not keep; null for nothing. */
    @Nullable T read(InPlaceEntry entry);
  }

  /** A callback for each entry of a scan. */
  @FunctionalInterface
  interface EntryVisitor {
    /** Visits an entry and decides how the scan continues. */
    VisitResult visit(Entry entry);
  }

  /** How a scan continues after an entry. */
  enum VisitResult {
    /** The entry is consumed; continue with the next one. */
    CONTINUE,
    /** The entry is consumed; stop, and leave the cursor after it. */
    STOP_AFTER,
    /** The entry is not consumed; stop, and leave the cursor before it. */
    STOP_BEFORE
  }
}
