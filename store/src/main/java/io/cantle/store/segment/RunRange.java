package io.cantle.store.segment;

/**
 * The part of a run that holds one incarnation of one segment.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param incarnation the incarnation of the segment
 * @param start the offset in the file where it begins
 * @param end the offset where it ends
 * @param recordCount how many records it has
 * @param checksum the checksum of its bytes
 * @param removalBytes how many of its bytes are removals
 */
record RunRange(
    int cache,
    int segment,
    long incarnation,
    long start,
    long end,
    long recordCount,
    int checksum,
    long removalBytes) {

  static final int ENCODED_BYTES = 48;

  int address() {
    return StoredSegment.addressOf(cache, segment);
  }
}
