package io.cantle.store.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Maps the keys of one segment to their locations, outside the heap. A key takes twelve bytes: four
 * of its hash and eight of its location. The key itself is not here; after a lookup the record must
 * be read and its key compared.
 *
 * <p>The table uses open addressing with linear probing, and is sorted. The fingerprint of a key
 * ({@code print}) is the high half of its hash. Its home, the slot where it would best be, is the
 * fingerprint times the number of homes, divided by 2^32. A key is placed after all smaller
 * fingerprints from its home on. So the whole table is sorted by fingerprint, which is the order of
 * the segment, and a scan walks it from front to back. The table can grow without the full hashes.
 *
 * <p>The table does not wrap around. After the last home there are some spare slots, and when these
 * are full the table grows. It grows by a quarter when four fifths are used, so a key costs less
 * than nineteen bytes even then.
 *
 * <p><b>Threading:</b> guarded by the lock of its segment.
 */
final class SlotTable implements AutoCloseable {
  private static final int MIN_HOMES = 16;
  private static final int MIN_SPARE_SLOTS = 16;
  private static final int MAX_SLOTS = 1 << 30;
  static final long[] NO_LOCATIONS = {};

  private @Nullable Arena arena;
  private MemorySegment locations = MemorySegment.NULL;
  private MemorySegment fingerprints = MemorySegment.NULL;
  private int homeCount;
  private int slotCount;
  private int usedCount;

  /** The part of a hash that is kept: its fingerprint. */
  static int fingerprintOf(long hash) {
    return (int) (hash >>> 32);
  }

  /** How many slots are used. */
  int usedCount() {
    return usedCount;
  }

  /** How many slots there are, used or not. */
  int slotCount() {
    return slotCount;
  }

  /** The location in a slot; {@link RecordLocation#NONE} if it is empty. */
  long locationAt(int slot) {
    return locations.getAtIndex(ValueLayout.JAVA_LONG, slot);
  }

  int fingerprintOf(int slot) {
    return fingerprints.getAtIndex(ValueLayout.JAVA_INT, slot);
  }

  private void set(int slot, int print, long location) {
    locations.setAtIndex(ValueLayout.JAVA_LONG, slot, location);
    fingerprints.setAtIndex(ValueLayout.JAVA_INT, slot, print);
  }

  private int homeOf(int print) {
    return (int) ((Integer.toUnsignedLong(print) * homeCount) >>> 32);
  }

  /** The first slot from which on there is no smaller fingerprint; some slots may be empty. */
  int seekSlot(int print) {
    if (homeCount == 0) {
      return 0;
    }
    int slot = homeOf(print);
    while (slot < slotCount
        && locationAt(slot) != RecordLocation.NONE
        && Integer.compareUnsigned(fingerprintOf(slot), print) < 0) {
      slot++;
    }
    return slot;
  }

  private boolean hasFingerprint(int slot, int print) {
    return slot < slotCount
        && locationAt(slot) != RecordLocation.NONE
        && fingerprintOf(slot) == print;
  }

  /** All locations of keys with this fingerprint. */
  long[] find(int print) {
    int first = seekSlot(print);
    int end = first;
    while (hasFingerprint(end, print)) {
      end++;
    }
    if (end == first) {
      return NO_LOCATIONS;
    }
    long[] found = new long[end - first];
    MemorySegment.copy(locations, ValueLayout.JAVA_LONG, first * 8L, found, 0, found.length);
    return found;
  }

  /** Adds a key that is not in the table. */
  void add(int print, long location) {
    if (usedCount >= homeCount / 5 * 4) {
      grow(usedCount + 1, Math.max(MIN_SPARE_SLOTS, slotCount - homeCount));
    }
    while (!tryAdd(print, location)) {
      grow(usedCount + 1, 2 * (slotCount - homeCount));
    }
  }

  private boolean tryAdd(int print, long location) {
    int slot = seekSlot(print);
    int empty = slot;
    while (empty < slotCount && locationAt(empty) != RecordLocation.NONE) {
      empty++;
    }
    if (empty >= slotCount) {
      return false;
    }
    moveSlots(slot, slot + 1, empty - slot);
    set(slot, print, location);
    usedCount++;
    return true;
  }

  private void moveSlots(int from, int to, int count) {
    MemorySegment.copy(locations, from * 8L, locations, to * 8L, count * 8L);
    MemorySegment.copy(fingerprints, from * 4L, fingerprints, to * 4L, count * 4L);
  }

  /**
   * Replaces a location by another, or removes its slot.
   *
   * @param to the new location; {@link RecordLocation#NONE} to remove the slot
   * @return whether the old location was there
   */
  boolean replace(int print, long from, long to) {
    for (int slot = seekSlot(print); hasFingerprint(slot, print); slot++) {
      if (locationAt(slot) == from) {
        if (to == RecordLocation.NONE) {
          remove(slot);
        } else {
          locations.setAtIndex(ValueLayout.JAVA_LONG, slot, to);
        }
        return true;
      }
    }
    return false;
  }

  /** Removes a slot and moves up the following slots that are not in their home. */
  private void remove(int slot) {
    int end = slot + 1;
    while (end < slotCount
        && locationAt(end) != RecordLocation.NONE
        && homeOf(fingerprintOf(end)) < end) {
      end++;
    }
    moveSlots(slot + 1, slot, end - slot - 1);
    set(end - 1, 0, RecordLocation.NONE);
    usedCount--;
  }

  /** Makes room for so many keys, so that they can be added without growing. */
  void reserve(int count) {
    if (count > usedCount) {
      grow(count, Math.max(MIN_SPARE_SLOTS, slotCount - homeCount));
    }
  }

  private void grow(int count, int spare) {
    long wanted = Math.max(MIN_HOMES, (long) count * 25 / 16 + 1);
    wanted = Math.max(wanted, homeCount);
    if (wanted + spare > MAX_SLOTS) {
      throw new IllegalStateException(
          "a segment cannot hold more than %s slots, and %s keys need more; choose more segments for"
                  .formatted(MAX_SLOTS, count)
              + " the cache");
    }
    SlotTable larger = new SlotTable();
    larger.allocate((int) wanted, spare);
    int to = 0;
    for (int from = 0; from < slotCount; from++) {
      long location = locationAt(from);
      if (location != RecordLocation.NONE) {
        int print = fingerprintOf(from);
        to = Math.max(to, larger.homeOf(print));
        if (to >= larger.slotCount) {
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
    fingerprints = larger.fingerprints;
    homeCount = larger.homeCount;
    slotCount = larger.slotCount;
  }

  private void allocate(int newHomes, int spare) {
    Arena memory = Arena.ofShared();
    arena = memory;
    homeCount = newHomes;
    slotCount = newHomes + spare;
    // New memory is zero, and zero is no location.
    locations = memory.allocate(slotCount * 8L, 8);
    fingerprints = memory.allocate(slotCount * 4L, 8);
  }

  private static void close(@Nullable Arena memory) {
    if (memory != null) {
      memory.close();
    }
  }

  /** Gives the memory back; the table is empty afterwards. */
  @Override
  public void close() {
    close(arena);
    arena = null;
    locations = MemorySegment.NULL;
    fingerprints = MemorySegment.NULL;
    homeCount = 0;
    slotCount = 0;
    usedCount = 0;
  }
}
