package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileWindow;
import java.io.IOException;

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
    DiskFile file = files.openReader(Lsn.fileId(lsn));
    long place = Lsn.offset(lsn);
    FileWindow window =
        new FileWindow(file::readFully, Long.MAX_VALUE, Disk.BLOCK_BYTES, Disk.BLOCK_BYTES);
    RecordView view = new RecordView();
    if (!window.load(place, LogRecord.HEADER_BYTES)
        || !view.moveTo(window.bytes(), 0).isHeaderValid(lsn)) {
      throw damagedException(lsn, "no record with this LSN begins here");
    }
    long length = view.paddedLength();
    boolean fits = length <= Disk.BLOCK_BYTES || length <= file.length() - place;
    if (!fits || !window.load(place, (int) length)) {
      throw damagedException(lsn, "a record of " + length + " bytes does not fit into the file");
    }
    if (!view.moveTo(window.bytes(), 0).isBodyValid()) {
      throw new DamagedException(view.damage(lsn, "the record is not as written"));
    }
    return view.toRecord();
  }

  private static DamagedException damagedException(long lsn, String problem) {
    return new DamagedException(Lsn.fileName(lsn), Lsn.offset(lsn), problem);
  }

  /** Shows the visitor all records from one LSN on and before another. */
  void scan(long from, long end, RecordVisitor visitor) throws IOException {
    for (long id : files.fileIds()) {
      if (id < Lsn.fileId(from)) {
        continue;
      }
      LogFileScan scan = new LogFileScan(files.openReader(id), id);
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
