package io.cantle.store.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the keys of one segment are: twelve bytes for each, four of its hash and eight of its
 * location, outside the heap. The key itself is not here; who finds a slot reads the record and
 * compares.
 *
 * <p>Open addressing with linear probing, and kept in order: a print, the high half of a hash,
 * times the number of homes and divided by 2^32 is the slot it would like best, and each is put
 * behind all smaller ones from there on. So the whole table is sorted by print, which is the order
 * of the segment, and to walk it is to scan it. Growing needs no hash that is not there.
 *
 * <p>It does not wrap around: behind the last home there are some more slots, and when these are
 * full it grows. It grows by a quarter when four fifths are used, so that a key costs less than
 * nineteen bytes even then.
 *
 * <p><b>Threading:</b> guarded by the lock of its segment.
 */
final class SlotTable implements AutoCloseable {
  private static final int SLOT_BYTES = 12;
  private static final int FEWEST_HOMES = 16;
  private static final int FEWEST_SPARE = 16;
  private static final int MOST_SLOTS = 1 << 30;
  private static final long[] NO_LOCATIONS = {};

  private @Nullable Arena arena;
  private MemorySegment locations = MemorySegment.NULL;
  private MemorySegment prints = MemorySegment.NULL;
  private int homes;
  private int slots;
  private int used;

  /** The part of a hash that is kept. */
  static int print(long hash) {
    return (int) (hash >>> 32);
  }

  /** How many slots are used. */
  int used() {
    return used;
  }

  /** How many slots there are, used or not. */
  int slots() {
    return slots;
  }

  /** The memory it takes. */
  long sizeBytes() {
    return (long) slots * SLOT_BYTES;
  }

  /** The location in a slot; {@link Location#NONE} if it is empty. */
  long location(int slot) {
    return locations.getAtIndex(ValueLayout.JAVA_LONG, slot);
  }

  int print(int slot) {
    return prints.getAtIndex(ValueLayout.JAVA_INT, slot);
  }

  private void set(int slot, int print, long location) {
    locations.setAtIndex(ValueLayout.JAVA_LONG, slot, location);
    prints.setAtIndex(ValueLayout.JAVA_INT, slot, print);
  }

  private int home(int print) {
    return (int) ((Integer.toUnsignedLong(print) * homes) >>> 32);
  }

  /** The first slot from which on there is no smaller print; some of them may be empty. */
  int seek(int print) {
    if (homes == 0) {
      return 0;
    }
    int slot = home(print);
    while (slot < slots
        && location(slot) != Location.NONE
        && Integer.compareUnsigned(print(slot), print) < 0) {
      slot++;
    }
    return slot;
  }

  private boolean holds(int slot, int print) {
    return slot < slots && location(slot) != Location.NONE && print(slot) == print;
  }

  /** All locations of keys with this print. */
  long[] find(int print) {
    int first = seek(print);
    int end = first;
    while (holds(end, print)) {
      end++;
    }
    if (end == first) {
      return NO_LOCATIONS;
    }
    long[] found = new long[end - first];
    for (int index = 0; index < found.length; index++) {
      found[index] = location(first + index);
    }
    return found;
  }

  /** Adds a key that is not there. */
  void add(int print, long location) {
    if (used >= homes / 5 * 4) {
      grow(used + 1, Math.max(FEWEST_SPARE, slots - homes));
    }
    while (!tryAdd(print, location)) {
      grow(used + 1, 2 * (slots - homes));
    }
  }

  private boolean tryAdd(int print, long location) {
    int slot = seek(print);
    int empty = slot;
    while (empty < slots && location(empty) != Location.NONE) {
      empty++;
    }
    if (empty >= slots) {
      return false;
    }
    move(slot, slot + 1, empty - slot);
    set(slot, print, location);
    used++;
    return true;
  }

  private void move(int from, int to, int count) {
    MemorySegment.copy(locations, from * 8L, locations, to * 8L, count * 8L);
    MemorySegment.copy(prints, from * 4L, prints, to * 4L, count * 4L);
  }

  /**
   * Puts another location in the place of one, or takes it out.
   *
   * @param to the new one; {@link Location#NONE} to take the slot out
   * @return whether the old one was there
   */
  boolean replace(int print, long from, long to) {
    for (int slot = seek(print); holds(slot, print); slot++) {
      if (location(slot) == from) {
        if (to == Location.NONE) {
          remove(slot);
        } else {
          locations.setAtIndex(ValueLayout.JAVA_LONG, slot, to);
        }
        return true;
      }
    }
    return false;
  }

  /** Takes a slot out and lets those behind it that would like to be nearer home move up. */
  private void remove(int slot) {
    int end = slot + 1;
    while (end < slots && location(end) != Location.NONE && home(print(end)) < end) {
      end++;
    }
    move(slot + 1, slot, end - slot - 1);
    set(end - 1, 0, Location.NONE);
    used--;
  }

  /** Makes room for so many keys, to be filled without growing. */
  void reserve(int count) {
    if (count > used) {
      grow(count, Math.max(FEWEST_SPARE, slots - homes));
    }
  }

  private void grow(int count, int spare) {
    long wanted = Math.max(FEWEST_HOMES, (long) count * 25 / 16 + 1);
    wanted = Math.max(wanted, homes);
    if (wanted + spare > MOST_SLOTS) {
      throw new IllegalStateException(
          "a segment cannot hold more than "
              + MOST_SLOTS
              + " slots, and "
              + count
              + " keys need more; choose more segments for the cache");
    }
    SlotTable larger = new SlotTable();
    larger.allocate((int) wanted, spare);
    int to = 0;
    for (int from = 0; from < slots; from++) {
      long location = location(from);
      if (location != Location.NONE) {
        int print = print(from);
        to = Math.max(to, larger.home(print));
        if (to >= larger.slots) {
          larger.close();
          grow(count, 2 * spare);
          return;
        }
        larger.set(to, print, location);
        to++;
      }
    }
    close(arena);
    arena = larger.arena;
    locations = larger.locations;
    prints = larger.prints;
    homes = larger.homes;
    slots = larger.slots;
  }

  private void allocate(int newHomes, int spare) {
    Arena memory = Arena.ofShared();
    arena = memory;
    homes = newHomes;
    slots = newHomes + spare;
    // New memory is zero, and zero is no location.
    locations = memory.allocate(slots * 8L, 8);
    prints = memory.allocate(slots * 4L, 8);
  }

  private static void close(@Nullable Arena memory) {
    if (memory != null) {
      memory.close();
    }
  }

  /** Copies used slots from one on, in order; how far it came, {@link #slots} at the end. */
  int copy(int from, int[] toPrints, long[] toLocations, Count count) {
    int slot = from;
    count.value = 0;
    while (slot < slots && count.value < toPrints.length) {
      long location = location(slot);
      if (location != Location.NONE) {
        toPrints[count.value] = print(slot);
        toLocations[count.value] = location;
        count.value++;
      }
      slot++;
    }
    return slot;
  }

  /** How many {@link #copy} copied. */
  static final class Count {
    int value;
  }

  /** Gives the memory back; the table is empty then. */
  @Override
  public void close() {
    close(arena);
    arena = null;
    locations = MemorySegment.NULL;
    prints = MemorySegment.NULL;
    homes = 0;
    slots = 0;
    used = 0;
  }

  @Override
  public String toString() {
    int[] shown = new int[Math.min(slots, 8)];
    Arrays.setAll(shown, this::print);
    return used + " of " + slots + " slots " + Arrays.toString(shown);
  }
}
