package io.cantle.bench.cantle;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionQueue;
import io.cantle.core.container.InPlaceEntry;
import io.cantle.core.container.SegmentCursor;
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
  private static final Container.EntryReader<Byte> LAST_BYTE =
      entry -> entry.valueByte(entry.valueLength() - 1);

  private final Container[] segments;

  /** The queue of each segment; none if they have no bound. */
  private final EvictionQueue[] queues;

  private final int maxOfSegment;
  private long lastIndex;

  private SegmentedTable(int segments, int maxOfSegment, Supplier<Container> containers) {
    this.maxOfSegment = maxOfSegment;
    this.segments = Stream.generate(containers).limit(segments).toArray(Container[]::new);
    this.queues =
        maxOfSegment == Integer.MAX_VALUE
            ? new EvictionQueue[0]
            : Arrays.stream(this.segments).map(EvictionQueue::new).toArray(EvictionQueue[]::new);
  }

  static SegmentedTable unbounded(int segments, Supplier<Container> containers) {
    return new SegmentedTable(segments, Integer.MAX_VALUE, containers);
  }

  static SegmentedTable bounded(int segments, int maxEntries, Supplier<Container> containers) {
    return new SegmentedTable(segments, Math.ceilDiv(maxEntries, segments), containers);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    byte[] bytes = Arrays.copyOf(key, key.length + value.length);
    System.arraycopy(value, 0, bytes, key.length, value.length);
    Entry entry = Entry.of(hash, bytes, key.length, 1, ++lastIndex, false, 0, null);
    int segment = KeyHash.segment(hash, segments.length);
    Container entries = segments[segment];
    synchronized (entries) {
      if (queues.length == 0) {
        entries.put(entry);
      } else {
        putAndEvict(entries, entry, queues[segment]);
      }
    }
  }

  private void putAndEvict(Container entries, Entry entry, EvictionQueue queue) {
    int before = entries.liveCount();
    entries.put(entry);
    if (entries.liveCount() == before) {
      entries.markUsed(entry);
      return;
    }
    queue.onAdded(entry);
    Entry victim = entries.liveCount() > maxOfSegment ? queue.pollVictim() : null;
    if (victim != null) {
      entries.remove(victim);
    }
  }

  @Override
  public byte get(byte[] key) {
    return read(key, LAST_BYTE);
  }

  @Override
  public byte getEntry(byte[] key) {
    return lastByte(requireEntry(key).bytes());
  }

  @Override
  public byte[] getCopy(byte[] key) {
    return read(key, InPlaceEntry::copyValue);
  }

  private <T> T read(byte[] key, Container.EntryReader<T> reader) {
    if (queues.length > 0) {
      // A use is marked in the entry.
      return requireFound(reader.read(requireEntry(key)), key);
    }
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    Container entries = segments[KeyHash.segment(hash, segments.length)];
    return requireFound(entries.read(hash, key, 0, key.length, reader), key);
  }

  @Override
  public boolean find(byte[] key) {
    return findEntry(key) != null;
  }

  private Entry requireEntry(byte[] key) {
    return requireFound(findEntry(key), key);
  }

  private @Nullable Entry findEntry(byte[] key) {
    long hash = KeyHash.hash(SEED, key, 0, key.length);
    Container entries = segments[KeyHash.segment(hash, segments.length)];
    Entry entry = entries.get(hash, key, 0, key.length);
    if (entry != null && queues.length > 0) {
      entries.markUsed(entry);
    }
    return entry;
  }

  private static <T> T requireFound(@Nullable T found, byte[] key) {
    if (found == null) {
      throw new IllegalStateException("nothing was found for " + Arrays.toString(key));
    }
    return found;
  }

  private static byte lastByte(byte[] bytes) {
    return bytes[bytes.length - 1];
  }

  @Override
  public int scan() {
    int[] sum = new int[1];
    for (Container entries : segments) {
      entries.forEach(entry -> sum[0] += lastByte(entry.bytes()));
    }
    return sum[0];
  }

  @Override
  public int scanKeys() {
    int[] sum = new int[1];
    for (Container entries : segments) {
      entries.scanKeys(
          SegmentCursor.START,
          entry -> {
            sum[0] += entry.bytes()[entry.keyLength() - 1];
            return Container.VisitResult.CONTINUE;
          });
    }
    return sum[0];
  }

  @Override
  public int size() {
    int size = 0;
    for (Container entries : segments) {
      size += entries.liveCount();
    }
    return size;
  }
}
