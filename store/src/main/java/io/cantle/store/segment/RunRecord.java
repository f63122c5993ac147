package io.cantle.store.segment;

import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * An entry in a run: a header of {@value #HEADER_BYTES} bytes, key, metadata, value, and zeros up
 * to a multiple of eight. Its checksum covers its place, so a record that was written elsewhere is
 * not taken for one of this place. Every byte is described in {@code docs/formats/segment-file.md}.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RunRecord {
  static final int HEADER_BYTES = 48;

  /** No record is longer, because none of the log is, from which it came. */
  static final int MAX_BYTES = LogOptions.MAX_FILE_BYTES;

  private static final byte REMOVED = 1;

  private RunRecord() {}

  static long length(StoredEntry entry) {
    return LogRecord.padTo8(
        (long) HEADER_BYTES + entry.key().length + entry.metadata().length + entry.value().length);
  }

  /** Writes an entry at a place of a buffer that has room for it. */
  static void write(StoredEntry entry, boolean removed, ByteBuffer to, int at, long place) {
    byte[] key = entry.key();
    byte[] metadata = entry.metadata();
    byte[] value = entry.value();
    to.putInt(at + 4, key.length);
    to.putInt(at + 8, value.length);
    to.putShort(at + 12, (short) metadata.length);
    to.put(at + 14, removed ? REMOVED : 0);
    to.put(at + 15, (byte) 0);
    to.putLong(at + 16, entry.hash());
    to.putLong(at + 24, entry.epoch());
    to.putLong(at + 32, entry.index());
    to.putLong(at + 40, entry.expiry());
    int end = LogRecord.putBody(to, at + HEADER_BYTES, key, metadata, value);
    to.putInt(at, checksum(to, at, end, place));
  }

  private static int checksum(ByteBuffer of, int at, int end, long place) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (place >>> shift) & 0xFF);
    }
    BufferChecksum.update(crc, of, at + 4, end - at - 4);
    return (int) crc.getValue();
  }

  /**
   * How long a record says it is, padding included; {@link Long#MAX_VALUE} if its header is
   * senseless.
   */
  static long length(ByteBuffer from, int at) {
    int key = from.getInt(at + 4);
    int value = from.getInt(at + 8);
    int metadata = Short.toUnsignedInt(from.getShort(at + 12));
    return key < 0 || value < 0
        ? Long.MAX_VALUE
        : LogRecord.padTo8((long) HEADER_BYTES + key + metadata + value);
  }

  /** Whether a record that is completely in the buffer is as it was written to this place. */
  static boolean isWhole(ByteBuffer from, int at, long place) {
    int metadata = Short.toUnsignedInt(from.getShort(at + 12));
    int end = at + HEADER_BYTES + from.getInt(at + 4) + from.getInt(at + 8) + metadata;
    return from.getInt(at) == checksum(from, at, end, place);
  }

  static boolean isRemoved(ByteBuffer from, int at) {
    return (from.get(at + 14) & REMOVED) != 0;
  }

  /** The entry of a record that is completely in the buffer. */
  static StoredEntry readEntry(ByteBuffer from, int at) {
    byte[] key = new byte[from.getInt(at + 4)];
    byte[] value = new byte[from.getInt(at + 8)];
    byte[] metadata = new byte[Short.toUnsignedInt(from.getShort(at + 12))];
    int body = at + HEADER_BYTES;
    from.get(body, key);
    from.get(body + key.length, metadata);
    from.get(body + key.length + metadata.length, value);
    return new StoredEntry(
        from.getLong(at + 16),
        key,
        from.getLong(at + 24),
        from.getLong(at + 32),
        from.getLong(at + 40),
        metadata,
        value);
  }
}
