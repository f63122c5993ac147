package io.cantle.store.segment;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a run that holds one incarnation of one segment.
 *
 * <p><b>Threading:</b> immutable except {@code liveBytes}, which is guarded by the segment's lock.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param incarnation the incarnation of the segment
 * @param start the offset in the file where it begins
 * @param end the offset where it ends
 * @param recordCount how many records it has
 * @param checksum the checksum of its bytes
 * @param removalBytes how many of its bytes are removals
 * @param liveBytes how many of its bytes are the newest of their keys
 */
record RunRange(
    int cache,
    int segment,
    long incarnation,
    long start,
    long end,
    long recordCount,
    int checksum,
    long removalBytes,
    AtomicLong liveBytes) {

  static final int ENCODED_BYTES = 48;

  RunRange(
      int cache,
      int segment,
      long incarnation,
      long start,
      long end,
      long recordCount,
      int checksum,
      long removalBytes) {
    this(
        cache,
        segment,
        incarnation,
        start,
        end,
        recordCount,
        checksum,
        removalBytes,
        new AtomicLong());
  }

  int address() {
    return StoredSegment.addressOf(cache, segment);
  }

  long length() {
    return end - start;
  }
}
