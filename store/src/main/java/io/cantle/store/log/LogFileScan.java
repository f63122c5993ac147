package io.cantle.store.log;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file frame by frame. A frame is shown only after all of it was found whole, so records
 * that were appended together are seen together or not at all.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LogFileScan {
  private static final int READ_BYTES = 1 << 20;

  private final Disk disk;
  private final CRC32C crc = new CRC32C();
  private final RecordView view = new RecordView();

  private DiskFile file;
  private long fileId;
  private long fileBytes;
  private ByteBuffer buffer;
  private long bufferOffset;
  private int bufferedBytes;
  private long nextFrameOffset = Disk.BLOCK_BYTES;
  private int framePosition;
  private boolean sawFrame;
  private @Nullable FileDamage fault;

  LogFileScan(Disk disk, DiskFile file, long fileId) throws IOException {
    this.disk = disk;
    this.file = file;
    this.fileId = fileId;
    this.fileBytes = file.length();
    this.buffer =
        disk.allocateBuffer((int) Math.min(READ_BYTES, LogFrame.roundUpToBlock(fileBytes)));
  }

  /** Starts again at the beginning of another file. */
  void restart(DiskFile newFile, long newId) throws IOException {
    file = newFile;
    fileId = newId;
    fileBytes = newFile.length();
    bufferOffset = 0;
    bufferedBytes = 0;
    nextFrameOffset = Disk.BLOCK_BYTES;
    sawFrame = false;
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
    fault = null;
    if (!load(nextFrameOffset, LogFrame.HEADER_BYTES)) {
      return noFrame(nextFrameOffset, "the file ends");
    }
    int at = (int) (nextFrameOffset - bufferOffset);
    LogFrame frame = LogFrame.readHeader(buffer, at, Lsn.toLsn(fileId, nextFrameOffset), crc);
    if (frame == null) {
      return noFrame(nextFrameOffset, "no frame begins here");
    }
    if (frame.length() > fileBytes - nextFrameOffset || !load(nextFrameOffset, frame.length())) {
      return noFrame(
          nextFrameOffset, "a frame of " + frame.length() + " bytes does not fit into the file");
    }
    framePosition = (int) (nextFrameOffset - bufferOffset);
    if (!isWhole(frame)) {
      return null;
    }
    nextFrameOffset += frame.paddedLength();
    return frame;
  }

  private boolean isWhole(LogFrame frame) {
    int at = framePosition + LogFrame.HEADER_BYTES;
    int end = framePosition + frame.length();
    for (int index = 0; index < frame.recordCount(); index++) {
      if (end - at < LogRecord.HEADER_BYTES) {
        return failFrame(bufferOffset + at, "the frame ends before its last record");
      }
      if (!view.moveTo(buffer, at).isHeaderValid(Lsn.toLsn(fileId, bufferOffset + at), crc)
          || view.paddedLength() > end - at) {
        return failRecord(at, "the header of the record is not as written");
      }
      if (!view.isBodyValid(crc)) {
        return failRecord(at, "the record is not as written");
      }
      at += (int) view.paddedLength();
    }
    return at == end || failFrame(bufferOffset + at, "the frame is longer than its records");
  }

  private boolean failRecord(int at, String problem) {
    int cache = view.cache();
    int segment = view.segment();
    fault =
        FileDamage.of(LogFileNames.fileName(fileId), bufferOffset + at, cache, segment, problem);
    return false;
  }

  private boolean failFrame(long offset, String problem) {
    fault = damageAt(offset, problem);
    return false;
  }

  private FileDamage damageAt(long offset, String problem) {
    return FileDamage.of(LogFileNames.fileName(fileId), offset, problem);
  }

  private @Nullable LogFrame noFrame(long offset, String problem) {
    fault = damageAt(offset, problem);
    return null;
  }

  /** Shows the visitor the records of the frame that was read last, from an LSN on. */
  void visitRecords(LogFrame frame, long from, RecordVisitor visitor) throws IOException {
    int at = framePosition + LogFrame.HEADER_BYTES;
    for (int index = 0; index < frame.recordCount(); index++) {
      int recordLength = (int) view.moveTo(buffer, at).paddedLength();
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
    for (long at = LogFrame.roundUpToBlock(behind);
        load(at, Disk.BLOCK_BYTES);
        at += Disk.BLOCK_BYTES) {
      LogFrame frame =
          LogFrame.readHeader(buffer, (int) (at - bufferOffset), Lsn.toLsn(fileId, at), crc);
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

  /**
   * Loads some bytes at an offset of the file into the buffer; false if the file does not have
   * them.
   */
  private boolean load(long from, int bytes) throws IOException {
    if (from >= bufferOffset && from + bytes <= bufferOffset + bufferedBytes) {
      return true;
    }
    if (from + bytes > fileBytes) {
      return false;
    }
    if (bytes > buffer.capacity()) {
      buffer = disk.allocateBuffer((int) LogFrame.roundUpToBlock(bytes));
    }
    bufferOffset = from;
    bufferedBytes = 0;
    buffer.clear();
    bufferedBytes = file.readFully(buffer, from);
    buffer.limit(bufferedBytes);
    return bytes <= bufferedBytes;
  }
}
