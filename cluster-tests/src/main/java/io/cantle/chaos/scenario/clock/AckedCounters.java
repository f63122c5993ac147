package io.cantle.chaos.scenario.clock;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The acknowledged values of counters in a grid, in memory that all processes of a run share. A
 * counter only grows, so a read that begins after a value was recorded here must not return less.
 *
 * <p><b>Threading:</b> any thread of any process that has mapped the file.
 */
final class AckedCounters {
  private static final VarHandle VALUE =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer shared;

  private AckedCounters(ByteBuffer shared) {
    this.shared = shared;
  }

  /** Maps a file, and creates it if there is none. */
  static AckedCounters map(Path file, int count) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new AckedCounters(
          channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) count * Long.BYTES));
    }
  }

  /** Returns the highest acknowledged value. */
  long get(int counter) {
    return (long) VALUE.getVolatile(shared, counter * Long.BYTES);
  }

  /** Records an acknowledged value. */
  void acked(int counter, long value) {
    int at = counter * Long.BYTES;
    for (long known = get(counter); known < value; known = get(counter)) {
      if (VALUE.compareAndSet(shared, at, known, value)) {
        return;
      }
    }
  }
}
