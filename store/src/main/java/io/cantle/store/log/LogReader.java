package io.cantle.store.log;

import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads what was written while the log is written to.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LogReader {
  private final LogFiles files;

  LogReader(LogFiles files) {
    this.files = files;
  }

  /** The record of a number. */
  LogRecord read(long lsn) throws IOException {
    long id = Lsn.file(lsn);
    DiskFile file = files.reader(id);
    ByteBuffer buffer = ByteBuffer.allocate(Disk.BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    int read = file.readFully(buffer, Lsn.offset(lsn));
    buffer.clear().limit(read);
    CRC32C crc = new CRC32C();
    RecordView view = new RecordView();
    if (read < LogRecord.HEAD_BYTES || !view.at(buffer, 0).isHead(lsn, crc)) {
      throw damaged(lsn, "no record of this number begins here");
    }
    long length = view.length();
    if (length > read) {
      if (length > file.length() - Lsn.offset(lsn)) {
        throw damaged(lsn, "a record of " + length + " bytes does not fit into the file");
      }
      buffer = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN).put(buffer);
      if (file.readFully(buffer, Lsn.offset(lsn) + read) < length - read) {
        throw damaged(lsn, "the file ends within the record");
      }
      view.at(buffer.clear(), 0);
    }
    if (!view.isBody(crc)) {
      throw damaged(
          lsn,
          "the record of segment "
              + view.segment()
              + " of cache "
              + view.cache()
              + " is not as written");
    }
    return view.record();
  }

  private static LogException.Damaged damaged(long lsn, String what) {
    return new LogException.Damaged(LogNames.file(Lsn.file(lsn)), Lsn.offset(lsn), what);
  }

  /** Shows all records from one number on and before another. */
  void scan(long from, long end, RecordVisitor visitor) throws IOException {
    FileScan scan = null;
    for (long id : files.ids()) {
      if (id < Lsn.file(from)) {
        continue;
      }
      if (scan == null) {
        scan = new FileScan(files.disk(), files.reader(id), id);
      } else {
        scan.begin(files.reader(id), id);
      }
      while (Lsn.of(id, scan.place()) < end) {
        Frame frame = scan.next();
        if (frame == null) {
          throw scan.fault().damage(id, "");
        }
        if (frame.kind() == Frame.Kind.SEAL) {
          break;
        }
        scan.visit(frame, from, visitor);
      }
    }
  }
}
