package io.cantle.store.log;

import io.cantle.store.disk.Disk;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What is written at once: a head of {@value #HEADER_BYTES} bytes and the records after it, from
 * the start of a block on and padded with zeros to the end of one. Beside records there are frames
 * of none that say where a file ends. Every byte is described in {@code docs/formats/log.md}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind what it is
 * @param lsn the number of its first byte, which says where it belongs
 * @param durableLsn everything before this number was durable when it was written
 * @param nextFileId in a seal, the file in which the log goes on; otherwise 0
 * @param length bytes without the padding
 * @param recordCount how many records are in it
 */
record LogFrame(
    Kind kind, long lsn, long durableLsn, long nextFileId, int length, int recordCount) {

  static final int HEADER_BYTES = 48;

  private static final int MAGIC = 0x4D46_4C43; // "CLFM" in a file

  /** What a frame is for. */
  enum Kind {
    /** Holds records. */
    RECORDS(1),
    /** Nothing follows in this file; the log goes on in another. */
    SEAL(2),
    /** The log was closed here and everything before is durable. */
    CLOSED(3);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    private static @Nullable Kind fromCode(byte code) {
      return switch (code) {
        case 1 -> RECORDS;
        case 2 -> SEAL;
        case 3 -> CLOSED;
        default -> null;
      };
    }
  }

  /** The longest record that fits into a file: its head, and a seal at the end, do so too. */
  static int maxRecordBytes(int fileBytes) {
    return fileBytes - 2 * Disk.BLOCK_BYTES - HEADER_BYTES;
  }

  /** How much of a file it takes. */
  long paddedLength() {
    return roundUpToBlock(length);
  }

  static long roundUpToBlock(long length) {
    return (length + Disk.BLOCK_BYTES - 1) & -Disk.BLOCK_BYTES;
  }

  /** Writes the head to a place of a buffer. */
  void writeHeader(ByteBuffer to, int place, CRC32C crc) {
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
    to.putInt(place + 4, checksum(to, place + 8, HEADER_BYTES - 8, crc));
  }

  /** The head at a place of a buffer, or null if there is none that belongs to this number. */
  static @Nullable LogFrame readHeader(ByteBuffer from, int place, long lsn, CRC32C crc) {
    if (from.limit() - place < HEADER_BYTES
        || from.getInt(place) != MAGIC
        || from.getLong(place + 8) != lsn
        || from.getInt(place + 4) != checksum(from, place + 8, HEADER_BYTES - 8, crc)) {
      return null;
    }
    Kind kind = Kind.fromCode(from.get(place + 40));
    int length = from.getInt(place + 32);
    int count = from.getInt(place + 36);
    if (kind == null || length < HEADER_BYTES || count < 0) {
      return null;
    }
    return new LogFrame(
        kind, lsn, from.getLong(place + 16), from.getLong(place + 24), length, count);
  }

  /** The checksum of a part of a buffer. */
  static int checksum(ByteBuffer of, int place, int length, CRC32C crc) {
    crc.reset();
    int limit = of.limit();
    int position = of.position();
    of.limit(place + length).position(place);
    crc.update(of);
    of.limit(limit).position(position);
    return (int) crc.getValue();
  }
}
