package io.cantle.core.container;

import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.ObjectLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the values of some keys of a cache, so that a look-up by the object of a key need not
 * encode it. A key and its value lie side by side in one array, at a place that follows from the
 * hash code of the object.
 *
 * <p>A value that is remembered is the present one. A writer that replaces or removes an entry has
 * the lock of the segment, and makes its value forgotten first ({@link #forget}). The next reader
 * takes that lock to remember the new value.
 *
 * <p>Where entries keep objects only, the entry is remembered too. Then a write finds it by the
 * object of the key, and gives it another value ({@link #replaceObject}).
 *
 * <p>A key that has a place keeps it, and only the value at its side changes. So a reader that has
 * found its key can take the value without looking back. Places are given back only all at once, by
 * taking another {@link Table}; a value that was taken from a former one does not count.
 *
 * <p>Only keys of some classes are accepted: those of which equal objects, by {@code equals},
 * always have the same bytes. A record may be equal to another by its own opinion.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ValueHints {
  /** The most keys in a table. */
  static final int MAX_PLACES = 1 << 17;

  private static final int FIRST_PLACES = 64;
  private static final int GROWTH_FACTOR = 4;

  /** A key has one of so many places side by side; a power of two. */
  private static final int PLACES_PER_KEY = 4;

  /** A table is too short when a third of its places is taken. */
  private static final int PLACES_PER_TAKEN = 3;

  private final MemoryAccount account;
  private final boolean keepsEntries;
  private volatile Table table;

  /**
   * Remembers nothing yet. What tables take is reserved in the account.
   *
   * @param keepsEntries whether entries are remembered as well as values
   */
  ValueHints(MemoryAccount account, boolean keepsEntries) {
    this.account = account;
    this.keepsEntries = keepsEntries;
    this.table = newTable(0);
  }

  private Table newTable(int places) {
    return new Table(places, keepsEntries);
  }

  /** Whether keys of this object's class are accepted. */
  public static boolean accepts(@Nullable Object key) {
    // Most keys are of the first ones.
    return key instanceof String
        || key instanceof Long
        || key instanceof Integer
        || key instanceof UUID
        || key instanceof Enum<?>
        || key instanceof Instant
        || key instanceof LocalDate
        || key instanceof LocalDateTime
        || key instanceof Short
        || key instanceof Byte
        || key instanceof Character;
  }

  /**
   * The present value of a key, which anybody may have; null if it is not known.
   *
   * @param key of a class that is accepted
   */
  public @Nullable Object find(Object key) {
    Table current = table;
    Object value = current.find(key);
    return isTable(current) ? value : null;
  }

  /**
   * The entry of a key whose value {@link #replaceObject} may replace; null if it is not known.
   *
   * @param key of a class that is accepted
   */
  public @Nullable Entry findEntry(Object key) {
    return table.findEntry(key);
  }

  /** Whether the key of an entry is accepted and has a place, or would be given one. */
  public boolean mayRemember(Entry entry) {
    Object key = ((HeapEntry) entry).decodedKey();
    return key != null && accepts(key) && table.mayPut(key);
  }

  /**
   * Remembers the value of an entry, unless it was released since it was found. It does so only if
   * the entry keeps the objects of key and value, and anybody may have that of the value. The
   * caller has the lock of the segment.
   */
  public void remember(Entry found) {
    HeapEntry entry = (HeapEntry) found;
    Table current = table;
    if (current.isTooShort()) {
      replace(current);
      return;
    }
    Object key = entry.decodedKey();
    Object value = entry.sharedValue();
    if (key == null || value == null || !accepts(key)) {
      return;
    }
    if (current.hasPlaces() && !entry.isReleased()) {
      current.put(key, value, entry);
    }
  }

  /**
   * Replaces the value of an entry that is remembered, if the container can do that. The caller has
   * the lock of the segment.
   *
   * @param entry what {@link #findEntry} returned
   * @param valueBytes what the value takes in the heap
   * @return the value before; null if nothing was done
   */
  public @Nullable Object replaceObject(
      Container entries,
      Object key,
      Entry entry,
      Object value,
      int valueBytes,
      int epoch,
      long index) {
    Table current = table;
    int part = current.partOf(key, entry);
    if (part < 0) {
      return null;
    }
    // Neither value is found while one takes the place of the other.
    current.setValue(part, null);
    Object before = entries.replaceObject(entry, value, valueBytes, epoch, index);
    if (before != null) {
      current.setValue(part, value);
    }
    return before;
  }

  /** Forgets the value of an entry, which is replaced next. */
  public void forget(Entry entry) {
    Object key = ((HeapEntry) entry).decodedKey();
    if (key != null) {
      forget(key);
    }
  }

  /** Forgets the value of a key, whose entry is replaced or removed next. */
  void forget(Object key) {
    Table current = table;
    if (current.hasPlaces() && accepts(key)) {
      current.forget(key);
    }
  }

  /** For tests: the present table. */
  Table table() {
    return table;
  }

  /** Forgets everything. */
  public synchronized void clear() {
    long freed = table.sizeBytes();
    table = newTable(0);
    if (freed > 0) {
      account.release(freed);
    }
  }

  /** Takes a longer table, or an empty one of the same length. */
  private synchronized void replace(Table tooShort) {
    if (!isTable(tooShort)) {
      return;
    }
    Table next = newTable(tooShort.longerPlaceCount());
    long more = next.sizeBytes() - tooShort.sizeBytes();
    if (more == 0 || account.tryReserveWithin(more)) {
      table = next;
    } else if (tooShort.hasRefusedMany()) {
      table = newTable(tooShort.placeCount());
    } else {
      tooShort.mayGrow = false;
    }
  }

  @SuppressWarnings("ReferenceEquality") // Each table is an object of its own.
  private boolean isTable(Table other) {
    return table == other;
  }

  /** Keys and values, for as long as nothing else ends what is known. */
  static final class Table {
    private static final VarHandle PART = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(HeapEntry[].class);
    private static final @Nullable Object[] NO_PARTS = new @Nullable Object[2 * PLACES_PER_KEY];

    /** Spreads hash codes, which differ mostly in their low bits, over the high ones. */
    private static final int GOLDEN_RATIO = 0x9E37_79B9;

    /** A key and its value for each place. */
    private final @Nullable Object[] parts;

    /** The entry for each place; null if no entries are remembered. */
    private final @Nullable HeapEntry @Nullable [] entries;

    private final int shift;

    /** How many places are taken, and how many keys found none, about. */
    private int takenCount;

    private int refusedCount;

    /** Whether there was memory for a longer table. */
    private volatile boolean mayGrow = true;

    /** Creates a table without keys. */
    private Table(int places, boolean keepsEntries) {
      this.parts = places == 0 ? NO_PARTS : new @Nullable Object[2 * places];
      this.entries = keepsEntries ? new @Nullable HeapEntry[parts.length / 2] : null;
      // Two parts belong to each place.
      this.shift = Integer.numberOfLeadingZeros(parts.length) + 2;
    }

    @SuppressWarnings("ReferenceEquality") // Tables without places share one array.
    private boolean hasPlaces() {
      return parts != NO_PARTS;
    }

    int placeCount() {
      return hasPlaces() ? parts.length / 2 : 0;
    }

    long sizeBytes() {
      return hasPlaces()
          ? ObjectLayout.arrayBytes(parts.length, ObjectLayout.REFERENCE_BYTES)
              + (entries == null
                  ? 0
                  : ObjectLayout.arrayBytes(entries.length, ObjectLayout.REFERENCE_BYTES))
          : 0;
    }

    private boolean isTooShort() {
      boolean isFull = takenCount * PLACES_PER_TAKEN >= placeCount();
      return (isFull && mayGrow && placeCount() < MAX_PLACES) || hasRefusedMany();
    }

    private boolean hasRefusedMany() {
      return refusedCount > Math.max(FIRST_PLACES, placeCount()) / 2;
    }

    private int longerPlaceCount() {
      return Math.clamp((long) GROWTH_FACTOR * placeCount(), FIRST_PLACES, MAX_PLACES);
    }

    @SuppressWarnings("ReferenceEquality") // Mostly it is the same, and then equality is not asked.
    private @Nullable Object find(Object key) {
      @Nullable Object[] known = parts;
      int place = placeOf(key);
      Object found = PART.getAcquire(known, place);
      if (found == key) {
        return PART.getAcquire(known, place + 1);
      }
      int part = found == null ? -1 : partOf(key, place);
      return part < 0 ? null : PART.getAcquire(known, part + 1);
    }

    private int partOf(Object key, int first) {
      for (int i = 0; i < PLACES_PER_KEY; i++) {
        int part = first ^ (2 * i);
        Object found = PART.getAcquire(parts, part);
        if (found == null) {
          return -1;
        }
        if (key.equals(found)) {
          return part;
        }
      }
      return -1;
    }

    private @Nullable HeapEntry findEntry(Object key) {
      int part = entries == null ? -1 : partOf(key, placeOf(key));
      return part < 0 ? null : entryAt(part);
    }

    private @Nullable HeapEntry entryAt(int part) {
      return entries == null ? null : (HeapEntry) ENTRY.getAcquire(entries, part / 2);
    }

    /** The part of a key that has a place with this entry; -1 if it has none. */
    @SuppressWarnings("ReferenceEquality") // A key that was written again has another entry.
    private int partOf(Object key, Entry entry) {
      int part = partOf(key, placeOf(key));
      return part >= 0 && entryAt(part) == entry ? part : -1;
    }

    /** Whether a key has a place or there is one for it, if not in this table then in the next. */
    private boolean mayPut(Object key) {
      if (isTooShort()) {
        return true;
      }
      int first = placeOf(key);
      for (int i = 0; hasPlaces() && i < PLACES_PER_KEY; i++) {
        Object found = PART.getAcquire(parts, first ^ (2 * i));
        if (found == null || key.equals(found)) {
          return true;
        }
      }
      refusedCount++;
      return false;
    }

    /** Puts a value at the side of its key, if that has a place or there is one for it. */
    private void put(Object key, Object value, HeapEntry entry) {
      int first = placeOf(key);
      for (int i = 0; i < PLACES_PER_KEY; i++) {
        int part = first ^ (2 * i);
        Object found = PART.getAcquire(parts, part);
        if (found == null) {
          found = PART.compareAndExchange(parts, part, (Object) null, key);
          takenCount += found == null ? 1 : 0;
        }
        if (found == null || key.equals(found)) {
          if (entries != null) {
            ENTRY.setRelease(entries, part / 2, entry);
          }
          PART.setVolatile(parts, part + 1, value);
          return;
        }
      }
    }

    private void forget(Object key) {
      int part = partOf(key, placeOf(key));
      if (part >= 0) {
        setValue(part, null);
        if (entries != null) {
          ENTRY.setRelease(entries, part / 2, (HeapEntry) null);
        }
      }
    }

    private void setValue(int part, @Nullable Object value) {
      PART.setRelease(parts, part + 1, value);
    }

    private int placeOf(Object key) {
      return ((key.hashCode() * GOLDEN_RATIO) >>> shift) << 1;
    }
  }
}
