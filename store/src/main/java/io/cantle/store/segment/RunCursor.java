package io.cantle.store.segment;

import io.cantle.store.disk.FileWindow;
import java.io.IOException;
import java.util.Iterator;
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
  private final FileWindow window;
  private @Nullable RunRange range;
  private @Nullable StoredRecord stored;
  private long nextOffset;

  RunCursor(RunFile run) {
    this.run = run;
    this.ranges = run.ranges().iterator();
    this.window = run.window(run.dataEnd(), READ_BYTES, READ_BYTES);
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
      nextOffset = in.start();
    }
    StoredRecord read = run.read(in, nextOffset, window);
    stored = read;
    nextOffset += read.length();
    return true;
  }

  /** Moves past damage that {@link #next} found, to the next whole record or the next range. */
  void skipDamage() throws IOException {
    RunRange in = range;
    if (in != null) {
      do {
        nextOffset += 8;
      } while (nextOffset < in.end() && run.findFault(in, nextOffset, window) != null);
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
}
