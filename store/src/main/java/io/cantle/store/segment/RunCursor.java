package io.cantle.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run from front to back.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RunCursor {
  private static final int READ_BYTES = 1 << 18;

  private final RunFile run;
  private final Iterator<RunRange> ranges;
  private final CRC32C crc = new CRC32C();
  private ByteBuffer buffer =
      ByteBuffer.allocate(READ_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private @Nullable RunRange range;
  private @Nullable StoredRecord stored;
  private long nextOffset;
  private long recordOffset;

  RunCursor(RunFile run) {
    this.run = run;
    this.ranges = run.ranges().iterator();
  }

  /** Moves to the next record; false if there is none. */
  boolean next() throws IOException {
    RunRange in = range;
    while (in == null || nextOffset >= in.end()) {
      if (!ranges.hasNext()) {
        stored = null;
        return false;
      }
      in = ranges.next();
      range = in;
      if (in.start() != nextOffset) {
        nextOffset = in.start();
        buffer.clear().limit(0);
      }
    }
    ensureBuffered(in, RunRecord.HEADER_BYTES);
    long length = RunRecord.length(buffer, buffer.position());
    if (length > in.end() - nextOffset) {
      throw run.damagedException(in, nextOffset, "a record of " + length + " bytes does not fit");
    }
    ensureBuffered(in, (int) length);
    stored = run.recordAt(in, buffer, buffer.position(), nextOffset, crc);
    recordOffset = nextOffset;
    buffer.position(buffer.position() + (int) length);
    nextOffset += length;
    return true;
  }

  /** Moves past damage that {@link #next} found, to the next whole record or the next range. */
  void skipDamage() throws IOException {
    RunRange in = range;
    if (in == null) {
      return;
    }
    while (nextOffset < in.end()) {
      nextOffset += Math.min(8, in.end() - nextOffset);
      buffer.position(buffer.position() + Math.min(8, buffer.remaining()));
      if (in.end() - nextOffset < RunRecord.HEADER_BYTES) {
        nextOffset = in.end();
        buffer.clear().limit(0);
        return;
      }
      ensureBuffered(in, RunRecord.HEADER_BYTES);
      long length = RunRecord.length(buffer, buffer.position());
      if (length <= in.end() - nextOffset) {
        ensureBuffered(in, (int) length);
        if (run.isWhole(buffer, buffer.position(), nextOffset, crc)) {
          return;
        }
      }
    }
  }

  /** Moves to the next range. */
  void skipRange() {
    RunRange in = range;
    if (in != null) {
      nextOffset = in.end();
      buffer.clear().limit(0);
    }
  }

  private void ensureBuffered(RunRange in, int length) throws IOException {
    if (buffer.remaining() >= length) {
      return;
    }
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).put(buffer);
    } else {
      buffer.compact();
    }
    int _ = run.read(buffer, nextOffset + buffer.position());
    buffer.flip();
    if (buffer.remaining() < length) {
      throw run.damagedException(in, nextOffset, "the file ends within the record");
    }
  }

  /** The current record. */
  StoredRecord stored() {
    StoredRecord at = stored;
    if (at == null) {
      throw new IllegalStateException("there is no record here");
    }
    return at;
  }

  /** The location of the current record. */
  long location() {
    return RecordLocation.inRun(run.id(), recordOffset, stored().isRemoved());
  }
}
