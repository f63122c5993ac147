package io.cantle.store.log;

import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is written at once: a header of {@value #HEADER_BYTES} bytes and the records after it. It
 * starts at a block boundary and is padded with zeros to the next one. Frames without records say
 * where a file ends. Every byte is described in {@code docs/formats/log.md}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind what the frame is for
 * @param lsn the LSN of its first byte, which says where it belongs
 * @param durableLsn everything before this LSN was durable when the frame was written
 * @param nextFileId in a seal, the file in which the log continues; otherwise 0
 * @param length bytes without the padding
 * @param recordCount how many records are in it
 */
record LogFrame(
    FrameKind kind, long lsn, long durableLsn, long nextFileId, int length, int recordCount) {

  static final int HEADER_BYTES = 48;

  private static final int MAGIC = 0x4D46_4C43; // "CLFM" in a file

  /** What a frame is for. */
  enum FrameKind {
    /** Holds records. */
    RECORDS(1),
    /** Ends this file; the log continues in another. */
    SEAL(2),
    /** Says that the log was closed here and everything before is durable. */
    CLOSED(3);

    private final byte code;

    FrameKind(int code) {
      this.code = (byte) code;
    }

    private static @Nullable FrameKind fromCode(byte code) {
      return Stream.of(values()).filter(kind -> kind.code == code).findAny().orElse(null);
    }
  }

  /**
   * The longest record for which a file has room, besides the file's header, the frame's header and
   * a seal at the end.
   */
  static int maxRecordBytes(int fileBytes) {
    return fileBytes - 2 * Disk.BLOCK_BYTES - HEADER_BYTES;
  }

  /** How many bytes of a file it takes. */
  long paddedLength() {
    return roundUpToBlock(length);
  }

  static long roundUpToBlock(long length) {
    return (length + Disk.BLOCK_BYTES - 1) & -Disk.BLOCK_BYTES;
  }

  /** Writes the header to a buffer. */
  void writeHeader(ByteBuffer to, int place) {
    to.putInt(place, MAGIC);
    to.putLong(place + 8, lsn);
    to.putLong(place + 16, durableLsn);
    to.putLong(place + 24, nextFileId);
    to.putInt(place + 32, length);
    to.putInt(place + 36, recordCount);
    to.put(place + 40, kind.code);
    to.put(place + 41, (byte) 0);
    to.putShort(place + 42, (short) 0);
    to.putInt(place + 44, 0);
    to.putInt(place + 4, BufferChecksum.checksum(to, place + 8, HEADER_BYTES - 8));
  }

  /** Reads the header at a place of a buffer; null if there is none that belongs to this LSN. */
  static @Nullable LogFrame readHeader(ByteBuffer from, int place, long lsn) {
    if (from.limit() - place < HEADER_BYTES
        || from.getInt(place) != MAGIC
        || from.getLong(place + 8) != lsn
        || from.getInt(place + 4) != BufferChecksum.checksum(from, place + 8, HEADER_BYTES - 8)) {
      return null;
    }
    FrameKind kind = FrameKind.fromCode(from.get(place + 40));
    int length = from.getInt(place + 32);
    int count = from.getInt(place + 36);
    if (kind == null || length < HEADER_BYTES || count < 0) {
      return null;
    }
    return new LogFrame(
        kind, lsn, from.getLong(place + 16), from.getLong(place + 24), length, count);
  }
}
