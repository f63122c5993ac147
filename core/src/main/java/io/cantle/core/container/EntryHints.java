package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where the entries of some keys are, so that a look-up by the object of a key need not
 * encode it. A slot is found by the hash code of the object, and holds an entry that keeps its
 * decoded key. A hint may be old: {@link Entry#presentValue} says whether its entry is still there.
 *
 * <p>Only keys of some classes are accepted: those whose objects are equal, by {@code equals}, if
 * and only if their encodings are.
 *
 * <p>A hint may keep an entry alive that was replaced or removed, until another takes its slot. So
 * there are no more than {@value #MAX_LENGTH} slots, and none for an entry of more than {@value
 * #MAX_ENTRY_BYTES} bytes.
 *
 * <p><b>Threading:</b> any thread. Hints may get lost when two threads make the table grow.
 */
public final class EntryHints {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(HeapEntry[].class);

  static final int MAX_LENGTH = 1 << 17;
  static final int MAX_ENTRY_BYTES = 128;

  private static final int FIRST_LENGTH = 64;
  private static final int GROWTH_FACTOR = 4;

  /** A table is too short once it was given so many hints for each slot. */
  private static final int HINTS_PER_SLOT = 2;

  /** Spreads hash codes, which differ mostly in their low bits, over the high ones. */
  private static final int GOLDEN_RATIO = 0x9E37_79B9;

  /** The length is a power of two, and at least 2. */
  private volatile @Nullable HeapEntry[] slots = new @Nullable HeapEntry[2];

  /** How many hints the table was given, about. */
  private int keptCount;

  /** Creates an empty table. */
  public EntryHints() {}

  /** Whether keys of this object's class are accepted. */
  public static boolean accepts(@Nullable Object key) {
    return key instanceof String
        || key instanceof Long
        || key instanceof Integer
        || key instanceof UUID;
  }

  /** The entry that a key had when it was found last; null if none is known. */
  public @Nullable Entry find(Object key) {
    @Nullable HeapEntry[] current = slots;
    HeapEntry entry = (HeapEntry) SLOT.getAcquire(current, slotOf(key, current.length));
    return entry != null && entry.hasDecodedKey(key) ? entry : null;
  }

  /** Remembers the entry of a key, if it keeps the decoded key. */
  public void keep(Object key, Entry found) {
    HeapEntry entry = (HeapEntry) found;
    if (entry.bytes().length > MAX_ENTRY_BYTES || entry.decodedKey() == null) {
      return;
    }
    @Nullable HeapEntry[] current = slots;
    if (++keptCount > HINTS_PER_SLOT * current.length && current.length < MAX_LENGTH) {
      int longer = Math.max(FIRST_LENGTH, GROWTH_FACTOR * current.length);
      current = new @Nullable HeapEntry[Math.min(longer, MAX_LENGTH)];
      keptCount = 0;
      slots = current;
    }
    SLOT.setRelease(current, slotOf(key, current.length), entry);
  }

  /** For tests: the number of slots. */
  int slotCount() {
    return slots.length;
  }

  private static int slotOf(Object key, int length) {
    return (key.hashCode() * GOLDEN_RATIO) >>> (Integer.numberOfLeadingZeros(length) + 1);
  }
}
