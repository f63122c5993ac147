package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The list of what compaction copied from where to where, kept outside the heap. The index learns
 * of it only after the manifest is durable.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class RelocationList implements AutoCloseable {
  private static final int CHUNK_ENTRIES = 1 << 14;
  private static final int ENTRY_BYTES = 24;
  private static final int MAX_APPLIED_PER_LOCK = 512;

  private final Arena arena = Arena.ofConfined();
  private final List<MemorySegment> chunks = new ArrayList<>();
  private final List<SegmentPart> parts = new ArrayList<>();
  private long count;

  /** The relocations of one segment, up to those of the next part. */
  private record SegmentPart(StoredSegment segment, long first) {}

  /**
   * Adds a record that was copied, or left out.
   *
   * @param to {@link RecordLocation#NONE} if it was left out
   * @param length how long it is in a run, where it was or where it is
   */
  void add(StoredSegment segment, int print, long from, long to, long length) {
    if (parts.isEmpty() || parts.getLast().segment != segment) {
      parts.add(new SegmentPart(segment, count));
    }
    int at = (int) (count % CHUNK_ENTRIES);
    if (at == 0) {
      chunks.add(arena.allocate((long) CHUNK_ENTRIES * ENTRY_BYTES, 8));
    }
    MemorySegment chunk = chunks.getLast();
    chunk.set(ValueLayout.JAVA_LONG, (long) at * ENTRY_BYTES, from);
    chunk.set(ValueLayout.JAVA_LONG, (long) at * ENTRY_BYTES + 8, to);
    chunk.set(ValueLayout.JAVA_INT, (long) at * ENTRY_BYTES + 16, print);
    chunk.set(ValueLayout.JAVA_INT, (long) at * ENTRY_BYTES + 20, (int) length);
    count++;
  }

  /** Applies all relocations to the index. */
  void apply() {
    for (int part = 0; part < parts.size(); part++) {
      StoredSegment segment = parts.get(part).segment;
      long partEnd = part + 1 < parts.size() ? parts.get(part + 1).first : count;
      for (long index = parts.get(part).first; index < partEnd; ) {
        long end = Math.min(partEnd, index + MAX_APPLIED_PER_LOCK);
        synchronized (segment) {
          for (; index < end; index++) {
            apply(
                segment, chunks.get((int) (index / CHUNK_ENTRIES)), (int) (index % CHUNK_ENTRIES));
          }
        }
      }
    }
  }

  @GuardedBy("segment")
  private static void apply(StoredSegment segment, MemorySegment chunk, int at) {
    segment.relocate(
        chunk.get(ValueLayout.JAVA_INT, (long) at * ENTRY_BYTES + 16),
        chunk.get(ValueLayout.JAVA_LONG, (long) at * ENTRY_BYTES),
        chunk.get(ValueLayout.JAVA_LONG, (long) at * ENTRY_BYTES + 8),
        chunk.get(ValueLayout.JAVA_INT, (long) at * ENTRY_BYTES + 20));
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    arena.close();
  }
}
