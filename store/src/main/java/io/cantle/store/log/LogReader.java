package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads records while the log is being written to.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LogReader {
  private final LogFiles files;

  LogReader(LogFiles files) {
    this.files = files;
  }

  /** The record with this LSN. */
  LogRecord read(long lsn) throws IOException {
    long id = Lsn.fileId(lsn);
    DiskFile file = files.openReader(id);
    ByteBuffer buffer = ByteBuffer.allocate(Disk.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int read = file.readFully(buffer, Lsn.offset(lsn));
    buffer.clear().limit(read);
    CRC32C crc = new CRC32C();
    RecordView view = new RecordView();
    if (read < LogRecord.HEADER_BYTES || !view.moveTo(buffer, 0).isHeaderValid(lsn, crc)) {
      throw damagedException(lsn, "no record with this LSN begins here");
    }
    long length = view.paddedLength();
    if (length > read) {
      if (length > file.length() - Lsn.offset(lsn)) {
        throw damagedException(lsn, "a record of " + length + " bytes does not fit into the file");
      }
      buffer = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN).put(buffer);
      if (file.readFully(buffer, Lsn.offset(lsn) + read) < length - read) {
        throw damagedException(lsn, "the file ends within the record");
      }
      view.moveTo(buffer.clear(), 0);
    }
    if (!view.isBodyValid(crc)) {
      throw new DamagedException(
          FileDamage.of(
              Lsn.fileName(lsn),
              Lsn.offset(lsn),
              view.cache(),
              view.segment(),
              "the record is not as written"));
    }
    return view.toRecord();
  }

  private static DamagedException damagedException(long lsn, String problem) {
    return new DamagedException(Lsn.fileName(lsn), Lsn.offset(lsn), problem);
  }

  /** Shows the visitor all records from one LSN on and before another. */
  void scan(long from, long end, RecordVisitor visitor) throws IOException {
    LogFileScan scan = null;
    for (long id : files.fileIds()) {
      if (id < Lsn.fileId(from)) {
        continue;
      }
      if (scan == null) {
        scan = new LogFileScan(files.disk(), files.openReader(id), id);
      } else {
        scan.restart(files.openReader(id), id);
      }
      while (Lsn.toLsn(id, scan.nextFrameOffset()) < end) {
        LogFrame frame = scan.nextFrame();
        if (frame == null) {
          throw new DamagedException(scan.fault());
        }
        if (frame.kind() == LogFrame.Kind.SEAL) {
          break;
        }
        scan.visitRecords(frame, from, visitor);
      }
    }
  }
}
