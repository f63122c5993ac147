package io.cantle.store.segment;

import java.util.Comparator;

/**
 * An entry as it was read from a file, with what the file says beside it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param incarnation the incarnation of the segment that it belongs to
 * @param location where it is
 * @param length how many bytes of the file it takes
 * @param entry the entry
 */
record StoredRecord(
    int cache, int segment, long incarnation, long location, long length, StoredEntry entry) {

  /** The order of a run. */
  static final Comparator<StoredRecord> RUN_ORDER =
      Comparator.comparingInt(StoredRecord::cache)
          .thenComparingInt(StoredRecord::segment)
          .thenComparing(StoredRecord::entry, StoredEntry::compareOrder);

  /** Whether it says that the key was removed. */
  boolean isRemoved() {
    return RecordLocation.isRemoved(location);
  }

  int fingerprint() {
    return SlotTable.fingerprintOf(entry.hash());
  }
}
