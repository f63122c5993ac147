package io.cantle.store.segment;

/**
 * Counts what is wanted of the records of one segment, whatever order they are seen in. It keeps
 * the newest version of each key, and of the key 64 well mixed bits: 32 bytes a key, on the heap.
 *
 * <p><b>Threading:</b> one thread.
 */
final class SegmentCount {
  private static final int FIRST_SLOTS = 16;
  private static final int WORDS = 4;
  private static final int LENGTH = 3;
  private static final long REMOVED = 1;

  /** A slot: bits of the key, both halves of the version, twice the length and a bit. */
  private long[] slots = new long[FIRST_SLOTS * WORDS];

  private int used;
  private long life;
  private long keys;
  private long liveBytes;
  private long allBytes;

  /** Which life the segment is in, as far as it was seen. */
  long life() {
    return life;
  }

  /** How many keys it has, removed ones not counted. */
  long keys() {
    return keys;
  }

  /** How many bytes the records of those take. */
  long liveBytes() {
    return liveBytes;
  }

  /** How many bytes all other records take, those that say that a key was removed as well. */
  long deadBytes() {
    return allBytes - liveBytes;
  }

  /** The segment is in this life, or in a later one. */
  void begin(long newLife) {
    if (newLife > life) {
      life = newLife;
      keys = 0;
      liveBytes = 0;
      used = 0;
      slots = new long[FIRST_SLOTS * WORDS];
    }
  }

  /** There is a record that is no version of a key, or not wanted any more. */
  void addDead(long length) {
    allBytes += length;
  }

  /** There is a version of a key. */
  void add(long inLife, byte[] key, long epoch, long index, boolean removed, long length) {
    allBytes += length;
    begin(inLife);
    if (inLife < life) {
      return;
    }
    long print = print(key);
    int at = slot(print);
    if (slots[at + LENGTH] == 0) {
      if (used * 3 > slots.length / WORDS * 2) {
        grow();
        at = slot(print);
      }
      used++;
    } else if (epoch < slots[at + 1] || (epoch == slots[at + 1] && index <= slots[at + 2])) {
      return;
    } else if ((slots[at + LENGTH] & REMOVED) == 0) {
      keys--;
      liveBytes -= slots[at + LENGTH] >>> 1;
    }
    slots[at] = print;
    slots[at + 1] = epoch;
    slots[at + 2] = index;
    slots[at + LENGTH] = (length << 1) | (removed ? REMOVED : 0);
    if (!removed) {
      keys++;
      liveBytes += length;
    }
  }

  private int slot(long print) {
    int count = slots.length / WORDS;
    int slot = (int) (print & (count - 1));
    while (slots[slot * WORDS + LENGTH] != 0 && slots[slot * WORDS] != print) {
      slot = (slot + 1) & (count - 1);
    }
    return slot * WORDS;
  }

  private void grow() {
    if (slots.length > 1 << 28) {
      throw new IllegalStateException("a segment has more than " + used + " keys");
    }
    long[] old = slots;
    slots = new long[old.length * 2];
    for (int at = 0; at < old.length; at += WORDS) {
      if (old[at + LENGTH] != 0) {
        System.arraycopy(old, at, slots, slot(old[at]), WORDS);
      }
    }
  }

  /** FNV-1a, and the last step of SplitMix so that each bit depends on all. */
  private static long print(byte[] key) {
    long print = 0xCBF2_9CE4_8422_2325L;
    for (byte b : key) {
      print = (print ^ (b & 0xFF)) * 0x100_0000_01B3L;
    }
    print = (print ^ (print >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    print = (print ^ (print >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return print ^ (print >>> 31);
  }
}
