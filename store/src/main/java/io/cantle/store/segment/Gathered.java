package io.cantle.store.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * Entries of the log on their way into a run: outside the heap in the order in which they came, and
 * given back in the order of a run.
 *
 * <p><b>Threading:</b> one thread, the one that compacts.
 */
final class Gathered implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 20;

  private final Arena arena = Arena.ofConfined();
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private final Map<Integer, Group> groups = new TreeMap<>(Integer::compareUnsigned);
  private final CRC32C crc = new CRC32C();
  private ByteBuffer last = ByteBuffer.allocate(0);
  private long bytes;

  /** The entries of one segment, by their places here. */
  private static final class Group {
    long incarnation;
    int count;
    long[] places = new long[16];
    long[] locations = new long[16];

    void add(long place, long location) {
      if (count == places.length) {
        places = Arrays.copyOf(places, 2 * count);
        locations = Arrays.copyOf(locations, 2 * count);
      }
      places[count] = place;
      locations[count] = location;
      count++;
    }
  }

  /**
   * An entry that was gathered.
   *
   * @param entry the entry
   * @param location where it was
   */
  record Item(StoredEntry entry, long location) {}

  /** Is given the entries of one segment. */
  interface Receiver {
    /** The entries of a segment in the order of hash and key. */
    void accept(int cache, int segment, long incarnation, Item[] items) throws IOException;
  }

  /** How many bytes were gathered. */
  long bytes() {
    return bytes;
  }

  void add(Stored stored, long location) {
    int address = StoredSegment.address(stored.cache(), stored.segment());
    Group group = groups.computeIfAbsent(address, _ -> new Group());
    if (stored.incarnation() > group.incarnation) {
      // The segment was dropped in the middle of this.
      group.incarnation = stored.incarnation();
      group.count = 0;
    }
    int length = (int) RunRecord.length(stored.entry());
    if (last.remaining() < length) {
      MemorySegment memory = arena.allocate(Math.max(length, CHUNK_BYTES), 8);
      last = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      chunks.add(last);
    }
    int at = last.position();
    RunRecord.write(stored.entry(), stored.removed(), last, at, 0, crc);
    last.position(at + length);
    bytes += length;
    group.add((long) (chunks.size() - 1) << 32 | at, location);
  }

  /** Gives everything back, segment by segment. */
  void giveBack(Receiver receiver) throws IOException {
    for (Map.Entry<Integer, Group> entry : groups.entrySet()) {
      Group group = entry.getValue();
      Item[] items = new Item[group.count];
      for (int index = 0; index < items.length; index++) {
        long place = group.places[index];
        ByteBuffer chunk = chunks.get((int) (place >>> 32));
        items[index] = new Item(RunRecord.entry(chunk, (int) place), group.locations[index]);
      }
      Arrays.sort(
          items,
          Comparator.comparing(
              Item::entry, (one, other) -> one.comparePlace(other.hash(), other.key())));
      int address = entry.getKey();
      receiver.accept(
          StoredSegment.cache(address), StoredSegment.segment(address), group.incarnation, items);
    }
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    arena.close();
  }
}
