package io.cantle.store.disk;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC-32C checksums of parts of buffers.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class BufferChecksum {
  private BufferChecksum() {}

  /** Adds a part of a buffer to a checksum. */
  public static void update(CRC32C crc, ByteBuffer of, int place, int length) {
    int limit = of.limit();
    int position = of.position();
    of.limit(place + length).position(place);
    crc.update(of);
    of.limit(limit).position(position);
  }

  /** The checksum of a part of a buffer. */
  public static int checksum(ByteBuffer bytes, int place, int length) {
    CRC32C crc = new CRC32C();
    update(crc, bytes, place, length);
    return (int) crc.getValue();
  }
}
