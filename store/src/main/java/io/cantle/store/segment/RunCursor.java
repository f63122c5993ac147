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
final class RunCursor implements AutoCloseable {
  private static final int READ_BYTES = 1 << 18;

  private final RunFile run;
  private final Iterator<Range> ranges;
  private final CRC32C crc = new CRC32C();
  private ByteBuffer buffer =
      ByteBuffer.allocate(READ_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private @Nullable Range range;
  private @Nullable Stored stored;
  private long place;
  private long recordPlace;

  RunCursor(RunFile run) {
    this.run = run;
    this.ranges = run.ranges().iterator();
  }

  /** Goes on to the next record; false if there is none. */
  boolean next() throws IOException {
    Range in = range;
    while (in == null || place >= in.end()) {
      if (!ranges.hasNext()) {
        stored = null;
        return false;
      }
      in = ranges.next();
      range = in;
      if (in.start() != place) {
        place = in.start();
        buffer.clear().limit(0);
      }
    }
    need(in, RunRecord.HEAD_BYTES);
    long length = RunRecord.length(buffer, buffer.position());
    if (length > in.end() - place) {
      throw run.damaged(in, place, "a record of " + length + " bytes does not fit");
    }
    need(in, (int) length);
    stored = run.stored(in, buffer, buffer.position(), place, crc);
    recordPlace = place;
    buffer.position(buffer.position() + (int) length);
    place += length;
    return true;
  }

  /** After {@link #next} found damage: goes on with the next whole record, or the next range. */
  void passDamage() throws IOException {
    Range in = range;
    if (in == null) {
      return;
    }
    while (place < in.end()) {
      place += Math.min(8, in.end() - place);
      buffer.position(buffer.position() + Math.min(8, buffer.remaining()));
      if (in.end() - place < RunRecord.HEAD_BYTES) {
        place = in.end();
        buffer.clear().limit(0);
        return;
      }
      need(in, RunRecord.HEAD_BYTES);
      long length = RunRecord.length(buffer, buffer.position());
      if (length <= in.end() - place) {
        need(in, (int) length);
        if (run.isWhole(buffer, buffer.position(), place, crc)) {
          return;
        }
      }
    }
  }

  /** Goes on with the next range. */
  void passRange() {
    Range in = range;
    if (in != null) {
      place = in.end();
      buffer.clear().limit(0);
    }
  }

  private void need(Range in, int length) throws IOException {
    if (buffer.remaining() >= length) {
      return;
    }
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).put(buffer);
    } else {
      buffer.compact();
    }
    int _ = run.read(buffer, place + buffer.position());
    buffer.flip();
    if (buffer.remaining() < length) {
      throw run.damaged(in, place, "the file ends within the record");
    }
  }

  /** The record it is at. */
  Stored stored() {
    Stored at = stored;
    if (at == null) {
      throw new IllegalStateException("there is no record here");
    }
    return at;
  }

  /** Where that is. */
  long location() {
    return Location.inRun(run.id(), recordPlace, stored().removed());
  }

  @Override
  public void close() {
    buffer = ByteBuffer.allocate(0);
  }
}
