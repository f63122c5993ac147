package io.cantle.bench.cantle;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionQueue;
import io.cantle.core.segment.KeyHash;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Containers, one for each segment, used as a replica uses them. With a bound, each segment evicts
 * what exceeds its share.
 *
 * <p><b>Threading:</b> as {@link ByteTable} says.
 */
final class SegmentedTable implements ByteTable {
  private static final long SEED = 7;

  private final Segment[] segments;
  private final int maxOfSegment;
  private long lastIndex;

  /** A segment; the queue is null if it has no bound. */
  private record Segment(Container entries, @Nullable EvictionQueue queue) {}

  private SegmentedTable(int segments, int maxOfSegment, Supplier<Container> containers) {
    this.maxOfSegment = maxOfSegment;
    this.segments =
        Stream.generate(containers)
            .limit(segments)
            .map(
                entries ->
                    new Segment(
                        entries,
                        maxOfSegment == Integer.MAX_VALUE ? null : new EvictionQueue(entries)))
            .toArray(Segment[]::new);
  }

  static SegmentedTable unbounded(int segments, Supplier<Container> containers) {
    return new SegmentedTable(segments, Integer.MAX_VALUE, containers);
  }

  static SegmentedTable bounded(int segments, int maxEntries, Supplier<Container> containers) {
    return new SegmentedTable(segments, Math.ceilDiv(maxEntries, segments), containers);
  }

  private Segment segmentOf(long hash) {
    return segments[KeyHash.segment(hash, segments.length)];
  }

  @Override
  public void put(byte[] key, byte[] value) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    byte[] bytes = Arrays.copyOf(key, key.length + value.length);
    System.arraycopy(value, 0, bytes, key.length, value.length);
    Entry entry = Entry.of(hash, bytes, key.length, 1, ++lastIndex, false, 0, null);
    Segment segment = segmentOf(hash);
    synchronized (segment.entries) {
      int before = segment.entries.liveCount();
      segment.entries.put(entry);
      EvictionQueue queue = segment.queue;
      if (queue != null && segment.entries.liveCount() == before) {
        segment.entries.markUsed(entry);
      } else if (queue != null) {
        queue.onAdded(entry);
        Entry victim = segment.entries.liveCount() > maxOfSegment ? queue.pollVictim() : null;
        if (victim != null) {
          segment.entries.remove(victim);
        }
      }
    }
  }

  @Override
  public byte get(byte[] key) {
    Entry entry = findEntry(key);
    if (entry == null) {
      throw new IllegalStateException("nothing was found for " + Arrays.toString(key));
    }
    return lastByte(entry.bytes());
  }

  @Override
  public boolean find(byte[] key) {
    return findEntry(key) != null;
  }

  private @Nullable Entry findEntry(byte[] key) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    Segment segment = segmentOf(hash);
    Entry entry = segment.entries.get(hash, key, 0, key.length);
    if (entry != null && segment.queue != null) {
      segment.entries.markUsed(entry);
    }
    return entry;
  }

  private static byte lastByte(byte[] bytes) {
    return bytes[bytes.length - 1];
  }

  @Override
  public int scan() {
    int[] sum = new int[1];
    for (Segment segment : segments) {
      segment.entries.forEach(entry -> sum[0] += lastByte(entry.bytes()));
    }
    return sum[0];
  }

  @Override
  public int size() {
    int size = 0;
    for (Segment segment : segments) {
      size += segment.entries.liveCount();
    }
    return size;
  }
}
