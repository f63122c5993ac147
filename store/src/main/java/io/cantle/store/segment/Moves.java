package io.cantle.store.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * What compaction copied from where to where, outside the heap: the index learns of it only after
 * the manifest is durable.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class Moves implements AutoCloseable {
  private static final int CHUNK = 1 << 14;
  private static final int BYTES = 24;
  private static final int AT_ONCE = 512;

  private final Arena arena = Arena.ofConfined();
  private final List<MemorySegment> chunks = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private long count;

  /** The moves of one segment. */
  private static final class Part {
    final StoredSegment segment;
    final long first;
    long end;

    Part(StoredSegment segment, long first) {
      this.segment = segment;
      this.first = first;
      this.end = first;
    }
  }

  /**
   * Remembers that a record was copied, or left out.
   *
   * @param to {@link Location#NONE} if it was left out
   * @param length how long it is in a run, where it was or where it is
   */
  void add(StoredSegment segment, int print, long from, long to, long length) {
    if (parts.isEmpty() || parts.getLast().segment != segment) {
      parts.add(new Part(segment, count));
    }
    int at = (int) (count % CHUNK);
    if (at == 0) {
      chunks.add(arena.allocate((long) CHUNK * BYTES, 8));
    }
    MemorySegment chunk = chunks.getLast();
    chunk.set(ValueLayout.JAVA_LONG, (long) at * BYTES, from);
    chunk.set(ValueLayout.JAVA_LONG, (long) at * BYTES + 8, to);
    chunk.set(ValueLayout.JAVA_INT, (long) at * BYTES + 16, print);
    chunk.set(ValueLayout.JAVA_INT, (long) at * BYTES + 20, (int) length);
    count++;
    parts.getLast().end = count;
  }

  /** Has the index know of them all. */
  void apply() {
    for (Part part : parts) {
      for (long index = part.first; index < part.end; ) {
        long end = Math.min(part.end, index + AT_ONCE);
        part.segment.lock.lock();
        try {
          for (; index < end; index++) {
            apply(part.segment, chunks.get((int) (index / CHUNK)), (int) (index % CHUNK));
          }
        } finally {
          part.segment.lock.unlock();
        }
      }
    }
  }

  private static void apply(StoredSegment segment, MemorySegment chunk, int at) {
    long length = chunk.get(ValueLayout.JAVA_INT, (long) at * BYTES + 20);
    segment.relocate(
        chunk.get(ValueLayout.JAVA_INT, (long) at * BYTES + 16),
        chunk.get(ValueLayout.JAVA_LONG, (long) at * BYTES),
        chunk.get(ValueLayout.JAVA_LONG, (long) at * BYTES + 8),
        length,
        length);
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    arena.close();
  }
}
