package io.cantle.store.segment;

import java.nio.ByteBuffer;

/**
 * The part of a run that holds one incarnation of one segment.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param checksum the checksum of its bytes
 * @param incarnation the incarnation of the segment
 * @param start the offset in the file where it begins
 * @param end the offset where it ends
 * @param recordCount how many records it has
 * @param removalBytes how many of its bytes are removals
 */
record RunRange(
    int cache,
    int segment,
    int checksum,
    long incarnation,
    long start,
    long end,
    long recordCount,
    long removalBytes) {

  static final int ENCODED_BYTES = 48;

  /** Appends the entry of the table of ranges to a buffer. */
  void write(ByteBuffer to) {
    to.putShort((short) cache).putShort((short) segment).putInt(checksum);
    to.putLong(incarnation).putLong(start).putLong(end);
    to.putLong(recordCount).putLong(removalBytes);
  }

  /** Reads what {@link #write} wrote. */
  static RunRange read(ByteBuffer from) {
    int cache = Short.toUnsignedInt(from.getShort());
    int segment = Short.toUnsignedInt(from.getShort());
    int checksum = from.getInt();
    return new RunRange(
        cache,
        segment,
        checksum,
        from.getLong(),
        from.getLong(),
        from.getLong(),
        from.getLong(),
        from.getLong());
  }

  int address() {
    return StoredSegment.addressOf(cache, segment);
  }
}
