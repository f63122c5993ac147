package io.cantle.store.log;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileWindow;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file frame by frame. A frame is shown only after all of it was found whole, so records
 * that were appended together are seen together or not at all.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LogFileScan {
  private static final int READ_BYTES = 1 << 20;

  private final long fileId;
  private final long fileBytes;
  private final FileWindow window;
  private final RecordView view = new RecordView();

  private long nextFrameOffset = Disk.BLOCK_BYTES;
  private boolean sawFrame;
  private @Nullable FileDamage fault;

  LogFileScan(DiskFile file, long fileId) throws IOException {
    this.fileId = fileId;
    this.fileBytes = file.length();
    this.window = new FileWindow(file, fileBytes, READ_BYTES, READ_BYTES);
  }

  /** The offset where the next frame begins. */
  long nextFrameOffset() {
    return nextFrameOffset;
  }

  /** Continues at a frame in the middle of the file. */
  void seek(long offset) {
    nextFrameOffset = offset;
  }

  /** Why {@link #nextFrame} found no whole frame. */
  FileDamage fault() {
    FileDamage found = fault;
    return found == null ? damageAt(nextFrameOffset, "nothing is wrong") : found;
  }

  /** The next frame, or null where there is no whole one. */
  @Nullable LogFrame nextFrame() throws IOException {
    long start = nextFrameOffset;
    fault = null;
    if (!window.load(start, LogFrame.HEADER_BYTES)) {
      return noFrame(damageAt(start, "the file ends"));
    }
    LogFrame frame = readHeader(start);
    if (frame == null) {
      return noFrame(damageAt(start, "no frame begins here"));
    }
    if (!window.load(start, frame.length())) {
      return noFrame(
          damageAt(start, "a frame of " + frame.length() + " bytes does not fit into the file"));
    }
    FileDamage damage = checkRecords(start, frame);
    if (damage != null) {
      return noFrame(damage);
    }
    nextFrameOffset += frame.paddedLength();
    return frame;
  }

  private @Nullable LogFrame noFrame(FileDamage damage) {
    fault = damage;
    return null;
  }

  private @Nullable LogFrame readHeader(long offset) {
    return LogFrame.readHeader(window.bytes(), window.indexOf(offset), Lsn.toLsn(fileId, offset));
  }

  /** What is wrong with the records of a frame; null if nothing is. */
  private @Nullable FileDamage checkRecords(long start, LogFrame frame) {
    long at = start + LogFrame.HEADER_BYTES;
    long end = start + frame.length();
    for (int index = 0; index < frame.recordCount(); index++) {
      if (end - at < LogRecord.HEADER_BYTES) {
        return damageAt(at, "the frame ends before its last record");
      }
      if (!viewAt(at).isHeaderValid(Lsn.toLsn(fileId, at)) || view.paddedLength() > end - at) {
        return recordDamage(at, "the header of the record is not as written");
      }
      if (!view.isBodyValid()) {
        return recordDamage(at, "the record is not as written");
      }
      at += view.paddedLength();
    }
    return at == end ? null : damageAt(at, "the frame is longer than its records");
  }

  private RecordView viewAt(long offset) {
    return view.moveTo(window.bytes(), window.indexOf(offset));
  }

  private FileDamage recordDamage(long offset, String problem) {
    return view.damage(Lsn.toLsn(fileId, offset), problem);
  }

  private FileDamage damageAt(long offset, String problem) {
    return FileDamage.of(LogFileNames.fileName(fileId), offset, problem);
  }

  /** Shows the visitor the records of the frame that was read last, from an LSN on. */
  void visitRecords(LogFrame frame, long from, RecordVisitor visitor) throws IOException {
    long at = Lsn.offset(frame.lsn()) + LogFrame.HEADER_BYTES;
    for (int index = 0; index < frame.recordCount(); index++) {
      long recordLength = viewAt(at).paddedLength();
      if (view.lsn() >= from) {
        visitor.visit(view);
      }
      at += recordLength;
    }
  }

  /**
   * Looks after an offset for a frame that proves that what precedes an LSN was durable when the
   * frame was written.
   *
   * @return the LSN of the frame, or -1 if there is none
   */
  long findDurabilityProof(long behind, long durable) throws IOException {
    for (long at = behind; window.load(at, Disk.BLOCK_BYTES); at += Disk.BLOCK_BYTES) {
      LogFrame frame = readHeader(at);
      if (frame != null) {
        sawFrame = true;
        if (frame.durableLsn() > durable) {
          return frame.lsn();
        }
      }
    }
    return -1;
  }

  /** Whether {@link #findDurabilityProof} came across the header of any frame. */
  boolean hasSeenFrame() {
    return sawFrame;
  }
}
