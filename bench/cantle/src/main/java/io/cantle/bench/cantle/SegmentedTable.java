package io.cantle.bench.cantle;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.segment.KeyHash;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Containers, one for each segment, used as a replica uses them.
 *
 * <p><b>Threading:</b> as {@link ByteTable} says.
 */
final class SegmentedTable implements ByteTable {
  private static final long SEED = 7;

  private final Container[] segments;
  private long lastIndex;

  SegmentedTable(int segments, Supplier<Container> containers) {
    this.segments = Stream.generate(containers).limit(segments).toArray(Container[]::new);
  }

  private Container segmentOf(long hash) {
    return segments[KeyHash.segment(hash, segments.length)];
  }

  @Override
  public void put(byte[] key, byte[] value) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    byte[] bytes = Arrays.copyOf(key, key.length + value.length);
    System.arraycopy(value, 0, bytes, key.length, value.length);
    Entry entry = Entry.of(hash, bytes, key.length, 1, ++lastIndex, false, 0, null);
    Container segment = segmentOf(hash);
    synchronized (segment) {
      segment.put(entry);
    }
  }

  @Override
  public byte get(byte[] key) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    Entry entry = segmentOf(hash).get(hash, key, 0, key.length);
    if (entry == null) {
      throw new IllegalStateException("nothing was found for " + Arrays.toString(key));
    }
    return lastByte(entry.bytes());
  }

  private static byte lastByte(byte[] bytes) {
    return bytes[bytes.length - 1];
  }

  @Override
  public int scan() {
    int[] sum = new int[1];
    for (Container segment : segments) {
      segment.forEach(entry -> sum[0] += lastByte(entry.bytes()));
    }
    return sum[0];
  }

  @Override
  public int size() {
    int size = 0;
    for (Container segment : segments) {
      size += segment.liveCount();
    }
    return size;
  }
}
