package io.cantle.store.log;

import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file from frame to frame. A frame is shown only after all of it was found whole, so
 * records that were appended together are seen together or not at all.
 *
 * <p><b>Threading:</b> one thread.
 */
final class FileScan {
  private static final int READ_BYTES = 1 << 20;

  private final Disk disk;
  private final CRC32C crc = new CRC32C();
  private final RecordView view = new RecordView();

  private DiskFile file;
  private long id;
  private long length;
  private ByteBuffer buffer;
  private long base;
  private int filled;
  private long place = Disk.BLOCK;
  private int framePlace;
  private boolean sawFrame;
  private @Nullable Fault fault;

  /** What is wrong where a whole frame was expected. */
  record Fault(long offset, int cache, int segment, String what) {

    /** The damage that this is if it is no torn end. */
    LogException.Damaged damage(long id, String more) {
      return new LogException.Damaged(LogNames.file(id), offset, cache, segment, what + more);
    }
  }

  FileScan(Disk disk, DiskFile file, long id) throws IOException {
    this.disk = disk;
    this.file = file;
    this.id = id;
    this.length = file.length();
    this.buffer = disk.buffer((int) Math.min(READ_BYTES, Frame.toBlock(length)));
  }

  /** The same for another file, from its start. */
  void begin(DiskFile newFile, long newId) throws IOException {
    file = newFile;
    id = newId;
    length = newFile.length();
    base = 0;
    filled = 0;
    place = Disk.BLOCK;
    sawFrame = false;
  }

  /** Where the next frame begins. */
  long place() {
    return place;
  }

  /** Goes on from a frame in the middle. */
  void seek(long offset) {
    place = offset;
  }

  /** Why {@link #next} found no whole frame. */
  Fault fault() {
    Fault found = fault;
    return found == null ? new Fault(place, -1, -1, "nothing is wrong") : found;
  }

  /** The next frame, or null where there is no whole one. */
  @Nullable Frame next() throws IOException {
    fault = null;
    if (!load(place, Frame.HEAD_BYTES)) {
      return faulty(place, "the file ends");
    }
    int at = (int) (place - base);
    Frame frame = Frame.read(buffer, at, Lsn.of(id, place), crc);
    if (frame == null) {
      return faulty(place, "no frame begins here");
    }
    if (frame.length() > length - place || !load(place, frame.length())) {
      return faulty(place, "a frame of " + frame.length() + " bytes does not fit into the file");
    }
    framePlace = (int) (place - base);
    if (!isWhole(frame)) {
      return null;
    }
    place += frame.paddedLength();
    return frame;
  }

  private boolean isWhole(Frame frame) {
    int at = framePlace + Frame.HEAD_BYTES;
    int end = framePlace + frame.length();
    for (int index = 0; index < frame.count(); index++) {
      if (end - at < LogRecord.HEAD_BYTES) {
        return isFaulty(base + at, "the frame ends before its last record");
      }
      if (!view.at(buffer, at).isHead(Lsn.of(id, base + at), crc) || view.length() > end - at) {
        return isFaultyRecord(at, "the head of the record of ");
      }
      if (!view.isBody(crc)) {
        return isFaultyRecord(at, "the record of ");
      }
      at += (int) view.length();
    }
    return at == end || isFaulty(base + at, "the frame is longer than its records");
  }

  private boolean isFaultyRecord(int at, String what) {
    int cache = view.cache();
    int segment = view.segment();
    String whose = "segment " + segment + " of cache " + cache;
    fault = new Fault(base + at, cache, segment, what + whose + " is not as written");
    return false;
  }

  private boolean isFaulty(long offset, String what) {
    fault = new Fault(offset, -1, -1, what);
    return false;
  }

  private @Nullable Frame faulty(long offset, String what) {
    fault = new Fault(offset, -1, -1, what);
    return null;
  }

  /** Shows the records of the frame that was read last, from a number on. */
  void visit(Frame frame, long from, RecordVisitor visitor) throws IOException {
    int at = framePlace + Frame.HEAD_BYTES;
    for (int index = 0; index < frame.count(); index++) {
      int recordLength = (int) view.at(buffer, at).length();
      if (view.lsn() >= from) {
        visitor.visit(view);
      }
      at += recordLength;
    }
  }

  /**
   * A frame behind a place that says that what is before a number was durable when it was written.
   *
   * @return its number; or -1 if there is none
   */
  long proof(long behind, long durable) throws IOException {
    for (long at = Frame.toBlock(behind); load(at, Disk.BLOCK); at += Disk.BLOCK) {
      Frame frame = Frame.read(buffer, (int) (at - base), Lsn.of(id, at), crc);
      if (frame != null) {
        sawFrame = true;
        if (frame.durableBefore() > durable) {
          return frame.lsn();
        }
      }
    }
    return -1;
  }

  /** Whether {@link #proof} came across the head of any frame. */
  boolean sawFrame() {
    return sawFrame;
  }

  /** Whether so many bytes at a place of the file are in the buffer now. */
  private boolean load(long from, int bytes) throws IOException {
    if (from >= base && from + bytes <= base + filled) {
      return true;
    }
    if (from + bytes > length) {
      return false;
    }
    if (bytes > buffer.capacity()) {
      buffer = disk.buffer((int) Frame.toBlock(bytes));
    }
    base = from;
    filled = 0;
    buffer.clear();
    filled = file.readFully(buffer, from);
    buffer.limit(filled);
    return bytes <= filled;
  }
}
