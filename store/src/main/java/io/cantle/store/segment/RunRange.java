package io.cantle.store.segment;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a run that holds one life of one segment.
 *
 * <p><b>Threading:</b> immutable but for {@code live}, which is guarded by the segment's lock.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param incarnation which life of it
 * @param start where it begins in the file
 * @param end where it ends
 * @param recordCount how many records it has
 * @param checksum the checksum of its bytes
 * @param removalBytes how many of its bytes are removals
 * @param liveBytes how many bytes of it are the newest of their keys
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
