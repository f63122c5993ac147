package io.cantle.core.container;

/**
 * Remembers which keys were evicted lately, as parts of their hashes: a table of small buckets, in
 * which the oldest ghost gives way. It may forget a ghost early. It takes a key for a ghost by
 * mistake about once in a billion times. Both only change what is evicted next.
 *
 * <p><b>Threading:</b> guarded by the lock of the segment.
 */
final class GhostTable {
  private static final int BUCKET_LENGTH = 8;
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  /** Each is the mark of a ghost in the high half, and when it was added; 0 for none. */
  private long[] ghosts = {};

  /** How many ghosts were ever added, as a time that may wrap. */
  private int addedCount;

  /** Adds a ghost. No more than {@code capacity} of the latest ones will be asked for. */
  void add(long hash, int capacity) {
    int wanted = Math.max(capacity, BUCKET_LENGTH);
    if (wanted > ghosts.length) {
      resize(wanted);
    }
    addedCount++;
    put(mark(hash), addedCount);
  }

  /** Removes a ghost that is one of the latest. Returns whether there was one. */
  boolean remove(long hash, int capacity) {
    if (ghosts.length == 0) {
      return false;
    }
    int mark = mark(hash);
    int bucket = bucketOf(mark);
    for (int i = bucket; i < bucket + BUCKET_LENGTH; i++) {
      if (ghosts[i] != 0 && (int) (ghosts[i] >>> 32) == mark) {
        boolean recent = ageOf(ghosts[i]) < capacity;
        ghosts[i] = 0;
        return recent;
      }
    }
    return false;
  }

  /** Gives memory back if no more than {@code capacity} ghosts will be asked for. */
  void shrink(int capacity) {
    if (capacity < ghosts.length / 2) {
      resize(Math.max(capacity, BUCKET_LENGTH));
    }
  }

  /** The memory that the table takes beyond that of a small one. */
  long sizeBytes() {
    return (long) Math.max(0, ghosts.length - BUCKET_LENGTH) * Long.BYTES;
  }

  void clear() {
    ghosts = new long[0];
  }

  private void resize(int capacity) {
    long[] before = ghosts;
    int buckets = (capacity + capacity / 8 + BUCKET_LENGTH - 1) / BUCKET_LENGTH;
    ghosts = new long[buckets * BUCKET_LENGTH];
    for (long ghost : before) {
      if (ghost != 0) {
        put((int) (ghost >>> 32), (int) ghost);
      }
    }
  }

  private void put(int mark, int time) {
    int bucket = bucketOf(mark);
    int oldest = bucket;
    for (int i = bucket; i < bucket + BUCKET_LENGTH; i++) {
      if (ghosts[i] == 0) {
        oldest = i;
        break;
      }
      if (ageOf(ghosts[i]) > ageOf(ghosts[oldest])) {
        oldest = i;
      }
    }
    ghosts[oldest] = ((long) mark << 32) | (time & 0xFFFF_FFFFL);
  }

  private int ageOf(long ghost) {
    return addedCount - (int) ghost;
  }

  /** Never 0, so that no ghost looks like an empty place. */
  private static int mark(long hash) {
    return (int) ((hash * SPREAD) >>> 32) | 1;
  }

  private int bucketOf(int mark) {
    int buckets = ghosts.length / BUCKET_LENGTH;
    return (int) (((long) (mark >>> 1) * buckets) >>> 31) * BUCKET_LENGTH;
  }
}
