package io.cantle.core.container;

import io.cantle.core.memory.ObjectLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The table of a {@link HeapContainer}: its entries in the order of the hash, with a part of each
 * hash beside them.
 *
 * <p><b>Design.</b> Ordered linear probing (Amble and Knuth, 1974). The hash, as a fraction,
 * multiplied by the length is the <em>home</em> of an entry. It stands there or in a slot after it,
 * such that slots are in the order of hash and key and none between an entry and its home is empty.
 * Beside each slot stands a <em>tag</em> of 16 bits: the last 7 bits of the home and the 8 bits of
 * the hash that follow. No entry is more than 63 slots from its home, so the tags of slots near one
 * another are in the order of their entries. A look-up therefore compares tags and reads only
 * entries whose tag is that of its hash.
 *
 * <p>Adding an entry moves those after it by a slot, up to the next that is free. Removing one
 * leaves a <em>hole</em>: a slot with a tag but no entry, which is free for the next. A table with
 * too few empty slots is copied, which clears the holes. If many keys share a hash, some must stand
 * far from home. Then the copy is <em>crowded</em>: order is read from its entries, and tags tell
 * only which entries to read.
 *
 * <p><b>Readers beside a writer.</b> Slots and tags are written with release and read with acquire,
 * so a reader that sees a store sees all before it. A reader walks up the slots from a home. It
 * does not miss an entry E that is present throughout, because of these rules:
 *
 * <ol>
 *   <li>An entry moves up only. It is in its new slot, and the tag after it, before its old slot is
 *       written. So whenever the reader has gone past a slot, E is ahead of it or was met.
 *   <li>All slots and tags, old and new, are in order at every moment. So a tag after that of E is
 *       not ahead of E in the walk.
 *   <li>A slot becomes empty only if the slot after it is. So no empty slot lies between the home
 *       of E and E.
 * </ol>
 *
 * <p>A walk may meet an entry twice, in the slot that it is about to leave and in the next. A
 * replaced entry is overwritten in its slot. A tag and the entry beside it may be of two moments; a
 * look-up compares the whole hash and key, so this does no harm. A table that has been copied does
 * not change any more.
 *
 * <p><b>Threading:</b> any thread calls {@link #find}, {@link #findLive}, {@link #home}, {@link
 * #slotCount} and {@link #at}; the rest is guarded by the segment's lock.
 */
final class EntryTable {
  /** What a table takes for each of its entries: a tag and a slot, of which 2 in 3 are taken. */
  static final int BYTES_PER_ENTRY = (Short.BYTES + ObjectLayout.REFERENCE_BYTES) * 3 / 2;

  static final int MIN_LENGTH = 4;
  static final int MAX_LENGTH = 1 << 28;

  private static final VarHandle TAG = MethodHandles.arrayElementVarHandle(short[].class);
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(HeapEntry[].class);

  /** The tag of a slot that is neither taken nor a hole. All others have the sign bit. */
  private static final short NO_TAG = 0;

  private static final int TAG_BIT = 0x8000;
  private static final int FRACTION_TAG_BITS = 8;
  private static final int HOME_TAG_MASK = 0x7F;

  /** Half of what the tag has of a home: more, and the order of two tags would be unclear. */
  private static final int MAX_DISTANCE = 63;

  /** A table without room. A segment that was never written has no other. */
  static final EntryTable EMPTY = new EntryTable(1, 0, 1, false);

  /** How many homes there are. */
  private final int length;

  /** How many slots may be taken or holes. */
  private final int maxUsed;

  private final boolean crowded;
  private final short[] tags;

  /** The last slot is always empty, so that each walk ends. */
  private final @Nullable HeapEntry[] slots;

  private int used;

  /** While the table is filled: the slot behind the last entry. */
  private int end;

  private EntryTable(int length, int maxUsed, int slotCount, boolean crowded) {
    this.length = length;
    this.maxUsed = maxUsed;
    this.crowded = crowded;
    this.tags = new short[slotCount];
    this.slots = new @Nullable HeapEntry[slotCount];
  }

  private static EntryTable create(int length, boolean crowded) {
    int maxUsed = length - length / 5;
    int spare = crowded ? maxUsed : Math.min(MAX_DISTANCE, 3 + length / 16);
    return new EntryTable(length, maxUsed, length + spare + 1, crowded);
  }

  // ------------------------------------------------------------------ reading

  int length() {
    return length;
  }

  int slotCount() {
    return slots.length;
  }

  /** The slot in which a walk to a hash begins. */
  int home(long hash) {
    return homeOf(position(hash));
  }

  /** The entry in a slot, or null for none. */
  @Nullable HeapEntry at(int slot) {
    return (HeapEntry) SLOT.getAcquire(slots, slot);
  }

  /** Returns the entry of a key, or null for none. */
  @Nullable HeapEntry find(
      long hash, @Nullable Object keyObject, byte[] key, int offset, int keyLength) {
    long position = position(hash);
    short tag = tagOf(position);
    for (int slot = homeOf(position); ; slot++) {
      short present = (short) TAG.getAcquire(tags, slot);
      if (present == tag) {
        HeapEntry entry = at(slot);
        if (entry != null
            && entry.hash() == hash
            && (entry.isDecodedKey(keyObject) || entry.hasKey(key, offset, keyLength))) {
          return entry;
        }
      } else if (endsWalk(present, tag)) {
        return null;
      }
    }
  }

  /** Returns the first entry of a hash that has a value, or null for none. */
  @Nullable HeapEntry findLive(long hash) {
    long position = position(hash);
    short tag = tagOf(position);
    for (int slot = homeOf(position); ; slot++) {
      short present = (short) TAG.getAcquire(tags, slot);
      if (present == tag) {
        HeapEntry entry = at(slot);
        if (entry != null && entry.hash() == hash && !entry.isTombstone()) {
          return entry;
        }
      } else if (endsWalk(present, tag)) {
        return null;
      }
    }
  }

  /** Whether no entry of a tag stands behind a slot of another. */
  private boolean endsWalk(short present, short tag) {
    return present == NO_TAG || (!crowded && isAfter(present, tag));
  }

  /** Whether a tag stands for a greater hash than another one of a slot near it. */
  private static boolean isAfter(short present, short tag) {
    return (short) ((present - tag) << 1) > 0;
  }

  /** The upper half of the hash as a fraction of the table: 32 bits are the home, 32 follow. */
  private long position(long hash) {
    return (hash >>> 32) * length;
  }

  private static int homeOf(long position) {
    return (int) (position >>> 32);
  }

  private static short tagOf(long position) {
    return (short) (TAG_BIT | (int) (position >>> (32 - FRACTION_TAG_BITS)));
  }

  // ------------------------------------------------------------------ changing

  /** Returns the slot of an entry's key, or the complement of that in front of which it belongs. */
  int slotOf(HeapEntry sought) {
    long position = position(sought.hash());
    short tag = tagOf(position);
    for (int slot = homeOf(position); ; slot++) {
      short present = tags[slot];
      HeapEntry entry = present == tag || crowded ? slots[slot] : null;
      int order = entry == null ? -1 : entry.compareOrder(sought);
      if (order == 0) {
        return slot;
      }
      if (order > 0 || endsWalk(present, tag)) {
        return ~slot;
      }
    }
  }

  /** Puts another entry of the same key into a slot. */
  void replace(int slot, HeapEntry entry) {
    SLOT.setRelease(slots, slot, entry);
  }

  /**
   * Adds an entry in front of a slot.
   *
   * @return false if there is no room; then nothing has changed
   */
  boolean tryInsert(int place, HeapEntry entry) {
    long position = position(entry.hash());
    int home = homeOf(position);
    if (place > home && slots[place - 1] == null) {
      set(place - 1, entry, tagOf(position));
      return true;
    }
    int free = place;
    boolean tooFar = place - home > MAX_DISTANCE;
    for (; slots[free] != null; free++) {
      tooFar |= ((free - (tags[free] >> FRACTION_TAG_BITS)) & HOME_TAG_MASK) == MAX_DISTANCE;
    }
    boolean wasEmpty = tags[free] == NO_TAG;
    if ((tooFar && !crowded) || (wasEmpty && (used >= maxUsed || free == slots.length - 1))) {
      return false;
    }
    for (int slot = free; slot > place; slot--) {
      set(slot, slots[slot - 1], tags[slot - 1]);
    }
    set(place, entry, tagOf(position));
    if (wasEmpty) {
      used++;
    }
    return true;
  }

  private void set(int slot, @Nullable HeapEntry entry, short tag) {
    SLOT.setRelease(slots, slot, entry);
    TAG.setRelease(tags, slot, tag);
  }

  /** Removes the entry of a slot. */
  void remove(int slot) {
    SLOT.setRelease(slots, slot, null);
    if (tags[slot + 1] == NO_TAG) {
      for (int hole = slot; hole >= 0 && slots[hole] == null && tags[hole] != NO_TAG; hole--) {
        TAG.setRelease(tags, hole, NO_TAG);
        used--;
      }
    }
  }

  // ------------------------------------------------------------------ copying

  /**
   * Returns a table of the same entries and one more, with room for others.
   *
   * @param size how many entries there are without it
   */
  EntryTable copyWith(HeapEntry added, int size) {
    // A table that was refused for distance, though it has room, has bad luck with its hashes.
    boolean grow = length < MAX_LENGTH && size >= length / 2;
    return copyOfLength(grow ? nextLength() : length, added);
  }

  /** Returns a table of the same entries that is a quarter as long. */
  EntryTable copyShorter() {
    return copyOfLength(length / 4, null);
  }

  private EntryTable copyOfLength(int wanted, @Nullable HeapEntry added) {
    int newLength = Math.max(MIN_LENGTH, wanted);
    EntryTable copy = create(newLength, false);
    if (copyInto(copy, added)) {
      return copy;
    }
    EntryTable crowdedCopy = create(newLength, true);
    if (!copyInto(crowdedCopy, added)) {
      throw new OutOfMemoryError("a segment has more than " + crowdedCopy.maxUsed + " entries");
    }
    return crowdedCopy;
  }

  /** Powers of two, and the numbers half way between two of them. */
  private int nextLength() {
    return Integer.bitCount(length) == 1 ? length / 2 * 3 : length / 3 * 4;
  }

  private boolean copyInto(EntryTable copy, @Nullable HeapEntry added) {
    HeapEntry waiting = added;
    for (HeapEntry entry : slots) {
      if (entry == null) {
        continue;
      }
      if (waiting != null && isBefore(waiting, entry)) {
        if (!copy.append(waiting)) {
          return false;
        }
        waiting = null;
      }
      if (!copy.append(entry)) {
        return false;
      }
    }
    return waiting == null || copy.append(waiting);
  }

  private static boolean isBefore(HeapEntry one, HeapEntry other) {
    return one.compareOrder(other) < 0;
  }

  /** Adds an entry behind all others to a table that no reader has seen. */
  private boolean append(HeapEntry entry) {
    long position = position(entry.hash());
    int slot = Math.max(homeOf(position), end);
    if (used == maxUsed
        || slot == slots.length - 1
        || (!crowded && slot - homeOf(position) > MAX_DISTANCE)) {
      return false;
    }
    slots[slot] = entry;
    tags[slot] = tagOf(position);
    end = slot + 1;
    used++;
    return true;
  }
}
