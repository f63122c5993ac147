package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.disk.BufferChecksum;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/**
 * The first block of a log file, which says to which log it belongs and which of its files it is.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param identity the number of the log
 * @param fileId the id of the file
 * @param fileBytes the length of the file
 */
record LogFileHeader(long identity, long fileId, long fileBytes) {

  private static final long MAGIC = 0x454C_4946_474F_4C43L; // "CLOGFILE" in a file
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 40;

  /** Fills the block at the start of a buffer. */
  void write(ByteBuffer block) {
    block.put(0, new byte[Disk.BLOCK_BYTES]);
    block.putLong(0, MAGIC);
    block.putInt(8, VERSION);
    block.putInt(12, Disk.BLOCK_BYTES);
    block.putLong(16, identity);
    block.putLong(24, fileId);
    block.putLong(32, fileBytes);
    block.putInt(HEADER_BYTES, BufferChecksum.checksum(block, 0, HEADER_BYTES));
  }

  /**
   * Checks the header of a file.
   *
   * @param identity the number of the log; empty if it is not known
   * @return the number of the log that the file belongs to
   * @throws DamagedException if it is not the header this file was given
   */
  static long verify(DiskFile file, OptionalLong identity, long id) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(HEADER_BYTES + 4).order(ByteOrder.LITTLE_ENDIAN);
    int read = file.readFully(head, 0);
    if (read < head.capacity()
        || head.getLong(0) != MAGIC
        || head.getInt(HEADER_BYTES) != BufferChecksum.checksum(head, 0, HEADER_BYTES)) {
      throw new DamagedException(
          LogFileNames.fileName(id), 0, "it does not begin with the header of a log file");
    }
    LogFileHeader found = new LogFileHeader(head.getLong(16), head.getLong(24), head.getLong(32));
    if (head.getInt(8) != VERSION || head.getInt(12) != Disk.BLOCK_BYTES) {
      throw new DamagedException(
          LogFileNames.fileName(id),
          8,
          "it is of version " + head.getInt(8) + " with blocks of " + head.getInt(12) + " bytes");
    }
    if (found.identity != identity.orElse(found.identity) || found.fileId != id) {
      throw new DamagedException(
          LogFileNames.fileName(id),
          16,
          "it is file " + found.fileId + " of log " + found.identity);
    }
    if (file.length() != found.fileBytes) {
      throw new DamagedException(
          LogFileNames.fileName(id),
          Math.min(file.length(), found.fileBytes),
          "it has " + file.length() + " bytes and was made with " + found.fileBytes);
    }
    return found.identity;
  }
}
