package io.cantle.store.segment;

/**
 * Counts the live records of one segment, in whatever order records are seen. It keeps the newest
 * version of each key and a 64-bit fingerprint of the key: 32 bytes a key, on the heap.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LiveRecordCounter {
  private static final int MIN_SLOTS = 16;
  private static final int WORDS_PER_SLOT = 4;
  private static final int LENGTH_WORD = 3;
  private static final long REMOVED = 1;

  /**
   * A slot: the fingerprint, both halves of the version, and the length shifted left by one bit,
   * with the removal flag.
   */
  private long[] slots = new long[MIN_SLOTS * WORDS_PER_SLOT];

  private int used;
  private long incarnation;
  private long keyCount;
  private long liveBytes;
  private long allBytes;

  /** The newest incarnation of the segment that was seen. */
  long incarnation() {
    return incarnation;
  }

  /** How many keys it has, not counting removed ones. */
  long keyCount() {
    return keyCount;
  }

  /** How many bytes the records of these keys take. */
  long liveBytes() {
    return liveBytes;
  }

  /** How many bytes all other records take, including removals. */
  long deadBytes() {
    return allBytes - liveBytes;
  }

  /** Records that the segment is in this incarnation, or a later one. */
  void beginIncarnation(long newIncarnation) {
    if (newIncarnation > incarnation) {
      incarnation = newIncarnation;
      keyCount = 0;
      liveBytes = 0;
      used = 0;
      slots = new long[MIN_SLOTS * WORDS_PER_SLOT];
    }
  }

  /** Adds a record that is not a version of a key, or is not live any more. */
  void addDead(long length) {
    allBytes += length;
  }

  /** Adds a version of a key. */
  void addVersion(StoredRecord stored) {
    StoredEntry entry = stored.entry();
    allBytes += stored.length();
    beginIncarnation(stored.incarnation());
    if (stored.incarnation() < incarnation) {
      return;
    }
    long fingerprint = fingerprint(entry.key());
    int at = slotOf(fingerprint);
    if (slots[at + LENGTH_WORD] == 0) {
      if (used * 3 > slots.length / WORDS_PER_SLOT * 2) {
        grow();
        at = slotOf(fingerprint);
      }
      used++;
    } else if (entry.compareVersion(slots[at + 1], slots[at + 2]) <= 0) {
      return;
    } else if ((slots[at + LENGTH_WORD] & REMOVED) == 0) {
      keyCount--;
      liveBytes -= slots[at + LENGTH_WORD] >>> 1;
    }
    slots[at] = fingerprint;
    slots[at + 1] = entry.epoch();
    slots[at + 2] = entry.index();
    slots[at + LENGTH_WORD] = (stored.length() << 1) | (stored.isRemoved() ? REMOVED : 0);
    if (!stored.isRemoved()) {
      keyCount++;
      liveBytes += stored.length();
    }
  }

  private int slotOf(long fingerprint) {
    int count = slots.length / WORDS_PER_SLOT;
    int slot = (int) (fingerprint & (count - 1));
    while (slots[slot * WORDS_PER_SLOT + LENGTH_WORD] != 0
        && slots[slot * WORDS_PER_SLOT] != fingerprint) {
      slot = (slot + 1) & (count - 1);
    }
    return slot * WORDS_PER_SLOT;
  }

  private void grow() {
    if (slots.length > 1 << 28) {
      throw new IllegalStateException("a segment has more than " + used + " keys");
    }
    long[] old = slots;
    slots = new long[old.length * 2];
    for (int at = 0; at < old.length; at += WORDS_PER_SLOT) {
      if (old[at + LENGTH_WORD] != 0) {
        System.arraycopy(old, at, slots, slotOf(old[at]), WORDS_PER_SLOT);
      }
    }
  }

  /** FNV-1a, and the last step of SplitMix so that each bit depends on all. */
  private static long fingerprint(byte[] key) {
    long fingerprint = 0xCBF2_9CE4_8422_2325L;
    for (byte b : key) {
      fingerprint = (fingerprint ^ (b & 0xFF)) * 0x100_0000_01B3L;
    }
    fingerprint = (fingerprint ^ (fingerprint >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    fingerprint = (fingerprint ^ (fingerprint >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return fingerprint ^ (fingerprint >>> 31);
  }
}
