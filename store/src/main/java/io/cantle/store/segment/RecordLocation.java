package io.cantle.store.segment;

import io.cantle.store.log.Lsn;

/**
 * Where the newest version of a key is, in 64 bits. In the log it is the record's LSN; in a run it
 * is the run's number and the offset in units of eight bytes. Two bits tell which, and whether the
 * version is a removal, so that counting needs to read nothing.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RecordLocation {
  /** No location; what an empty slot holds. */
  static final long NONE = 0;

  /** The highest number a run can have. */
  static final int MAX_RUN_ID = (1 << 24) - 1;

  /** The longest run. */
  static final long MAX_RUN_BYTES = 1L << 41;

  private static final long IN_RUN = 1L << 63;
  private static final long REMOVED = 1L << 62;
  private static final int OFFSET_BITS = 38;

  private RecordLocation() {}

  static long inLog(long lsn, boolean removed) {
    if (lsn >= REMOVED) {
      throw new IllegalStateException(
          "the log has used up the LSNs that a store can address: " + lsn);
    }
    return lsn | (removed ? REMOVED : 0);
  }

  static long inRun(int run, long offset, boolean removed) {
    return IN_RUN | (removed ? REMOVED : 0) | (long) run << OFFSET_BITS | offset >>> 3;
  }

  static boolean isInRun(long location) {
    return location < 0;
  }

  static boolean isRemoved(long location) {
    return (location & REMOVED) != 0;
  }

  /** The LSN of a location in the log. */
  static long lsn(long location) {
    return location & ~REMOVED;
  }

  static int runId(long location) {
    return (int) (location >>> OFFSET_BITS) & MAX_RUN_ID;
  }

  static long offset(long location) {
    return (location & ((1L << OFFSET_BITS) - 1)) << 3;
  }

  static boolean isAmong(long[] locations, long location) {
    for (long one : locations) {
      if (one == location) {
        return true;
      }
    }
    return false;
  }

  static String describe(long location) {
    return isInRun(location)
        ? RunFile.NAMES.nameOf(runId(location)) + ":" + offset(location)
        : Lsn.describe(lsn(location));
  }
}
