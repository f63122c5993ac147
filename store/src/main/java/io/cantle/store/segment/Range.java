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
 * @param count how many records it has
 * @param checksum the checksum of its bytes
 * @param removed how many of its bytes are removals
 * @param live how many bytes of it are the newest of their keys
 */
record Range(
    int cache,
    int segment,
    long incarnation,
    long start,
    long end,
    long count,
    int checksum,
    long removed,
    AtomicLong live) {

  static final int BYTES = 48;

  Range(
      int cache,
      int segment,
      long incarnation,
      long start,
      long end,
      long count,
      int checksum,
      long removed) {
    this(cache, segment, incarnation, start, end, count, checksum, removed, new AtomicLong());
  }

  int address() {
    return StoredSegment.address(cache, segment);
  }

  long length() {
    return end - start;
  }
}
