package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.container.SegmentEntries.VisitResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SegmentEntriesTest {

  /** A position in a segment, ordered as in a segment. */
  private record Place(long hash, List<Byte> key) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      return Comparator.<Place>comparingLong(place -> place.hash ^ Long.MIN_VALUE)
          .thenComparing(Place::array, Arrays::compareUnsigned)
          .compare(this, other);
    }

    private byte[] array() {
      byte[] array = new byte[key.size()];
      for (int i = 0; i < array.length; i++) {
        array[i] = key.get(i);
      }
      return array;
    }

    private Entry entry(long index, boolean tombstone, int valueLength) {
      byte[] array = array();
      return new Entry(
          hash,
          Arrays.copyOf(array, array.length + (tombstone ? 0 : valueLength)),
          array.length,
          1,
          index,
          tombstone);
    }

    private static Place of(Entry entry) {
      List<Byte> key = new ArrayList<>();
      for (int i = 0; i < entry.keyLength(); i++) {
        key.add(entry.bytes()[i]);
      }
      return new Place(entry.hash(), key);
    }

    private static Place random(Random random, int hashes, int shift) {
      List<Byte> key = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        key.add((byte) (random.nextInt(4) - 2));
      }
      return new Place((long) (random.nextInt(hashes) - hashes / 2) << shift, key);
    }
  }

  @Test
  void answersLikeASortedMapThroughRandomChanges() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      // From keys that all share one hash to keys spread over the whole table.
      int hashes = 1 << random.nextInt(12);
      int shift = random.nextInt(62);
      int growing = 10 + random.nextInt(80);
      SegmentEntries entries = new SegmentEntries();
      NavigableMap<Place, Entry> model = new TreeMap<>();
      for (int step = 0; step < 1000; step++) {
        Place place = Place.random(random, hashes, shift);
        byte[] key = place.array();
        assertThat(entries.find(place.hash(), key, 0, key.length)).isSameAs(model.get(place));
        if (random.nextInt(100) < growing) {
          Entry entry = place.entry(step, random.nextInt(4) == 0, random.nextInt(9));
          assertThat(entries.put(entry)).isSameAs(model.put(place, entry));
        } else if (!model.isEmpty()) {
          Entry entry =
              random.nextBoolean()
                  ? model.ceilingEntry(model.firstKey()).getValue()
                  : any(model, place);
          assertThat(entries.purge(entry)).isTrue();
          assertThat(entries.purge(entry)).isFalse();
          model.remove(Place.of(entry));
        }
        if (random.nextInt(1000) == 0) {
          entries.clear();
          model.clear();
        }
        if (step % 50 == 0) {
          checkCounts(entries, model);
          checkScan(entries, model, random);
        }
      }
      while (!model.isEmpty()) {
        assertThat(entries.purge(model.pollFirstEntry().getValue())).isTrue();
      }
      checkCounts(entries, model);
      checkScan(entries, model, random);
    }
  }

  private static Entry any(NavigableMap<Place, Entry> model, Place near) {
    Map.Entry<Place, Entry> found = model.ceilingEntry(near);
    return (found == null ? model.lastEntry() : found).getValue();
  }

  private static void checkCounts(SegmentEntries entries, NavigableMap<Place, Entry> model) {
    int tombstones = 0;
    long bytes = 0;
    for (Entry entry : model.values()) {
      tombstones += entry.isTombstone() ? 1 : 0;
      bytes += entry.sizeBytes();
    }
    assertThat(entries.liveCount()).isEqualTo(model.size() - tombstones);
    assertThat(entries.tombstoneCount()).isEqualTo(tombstones);
    assertThat(entries.sizeBytes()).isEqualTo(bytes);
  }

  /** Scans in pieces that stop at random, before or after an entry. */
  private static void checkScan(
      SegmentEntries entries, NavigableMap<Place, Entry> model, Random random) {
    List<Entry> seen = new ArrayList<>();
    int stopEvery = 1 + random.nextInt(20);
    SegmentCursor cursor = SegmentCursor.START;
    while (cursor.kind() != SegmentCursor.Kind.END) {
      cursor =
          entries.scan(
              cursor,
              entry -> {
                if (random.nextInt(stopEvery) > 0) {
                  seen.add(entry);
                  return VisitResult.CONTINUE;
                }
                if (random.nextBoolean()) {
                  return VisitResult.STOP_BEFORE;
                }
                seen.add(entry);
                return VisitResult.STOP_AFTER;
              });
    }
    assertThat(seen).containsExactlyElementsOf(model.values());
  }

  @Test
  void stopsBetweenTwoKeysOfEqualHash() {
    SegmentEntries entries = new SegmentEntries();
    for (int key = 0; key < 50; key++) {
      entries.put(entry(0xABCDL << 48, key, 1));
    }
    List<Integer> seen = new ArrayList<>();
    SegmentCursor cursor = SegmentCursor.START;
    while (cursor.kind() != SegmentCursor.Kind.END) {
      cursor =
          entries.scan(
              cursor,
              entry -> {
                seen.add(key(entry));
                return VisitResult.STOP_AFTER;
              });
      assertThat(cursor.kind() == SegmentCursor.Kind.END || cursor.hash() == 0xABCDL << 48)
          .isTrue();
    }
    assertThat(seen).hasSize(50).isSorted();
  }

  @Test
  void leavesTheCursorWhereItWasWhenTheFirstEntryIsNotConsumed() {
    SegmentEntries entries = new SegmentEntries();
    entries.put(entry(1, 1, 1));
    entries.put(entry(2, 2, 1));
    assertThat(entries.scan(SegmentCursor.START, entry -> VisitResult.STOP_BEFORE))
        .isEqualTo(SegmentCursor.START);
    SegmentCursor one = entries.scan(SegmentCursor.START, entry -> VisitResult.STOP_AFTER);
    assertThat(entries.scan(one, entry -> VisitResult.STOP_BEFORE)).isEqualTo(one);
    SegmentCursor two = entries.scan(one, entry -> VisitResult.STOP_AFTER);
    assertThat(two.hash()).isEqualTo(2);
    assertThat(entries.scan(two, entry -> VisitResult.STOP_AFTER)).isEqualTo(SegmentCursor.END);
    assertThat(entries.scan(SegmentCursor.END, entry -> VisitResult.STOP_AFTER))
        .isEqualTo(SegmentCursor.END);
  }

  @Test
  void resumesAfterACursorWhoseKeyIsGone() {
    SegmentEntries entries = new SegmentEntries();
    for (int key = 0; key < 100; key++) {
      entries.put(entry((long) key << 57, key, 1));
    }
    Entry fifty = Objects.requireNonNull(entries.find(50L << 57, bytes(50), 0, 4));
    SegmentCursor cursor = SegmentCursor.after(fifty);
    entries.purge(fifty);
    List<Integer> seen = new ArrayList<>();
    entries.scan(
        cursor,
        entry -> {
          seen.add(key(entry));
          return VisitResult.CONTINUE;
        });
    assertThat(seen.getFirst()).isEqualTo(51);
    assertThat(seen).hasSize(49);
  }

  @Test
  void visitsStableKeysExactlyOnceWhileTheVisitorChangesTheSegment() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      int keys = 1 + random.nextInt(200);
      int space = 1 << random.nextInt(12);
      long shift = random.nextInt(55);
      SegmentEntries entries = new SegmentEntries();
      Set<Integer> staying = new HashSet<>();
      for (int key = 0; key < keys; key++) {
        entries.put(entry(hash(key, space, shift), key, 1));
        if (random.nextInt(3) > 0) {
          staying.add(key);
        }
      }
      int restlessness = random.nextInt(30);
      int grown = random.nextInt(800);
      List<Place> visited = new ArrayList<>();
      SegmentCursor cursor = SegmentCursor.START;
      while (cursor.kind() != SegmentCursor.Kind.END) {
        cursor =
            entries.scan(
                cursor,
                entry -> {
                  visited.add(Place.of(entry));
                  for (int i = random.nextInt(restlessness + 1); i > 0; i--) {
                    change(entries, random, random.nextInt(keys + grown), staying, space, shift);
                  }
                  return random.nextInt(10) == 0 ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
                });
      }
      assertThat(visited).as("seed %s", seed).isSorted().doesNotHaveDuplicates();
      assertThat(visited.stream().map(place -> ByteBuffer.wrap(place.array()).getInt()))
          .as("seed %s", seed)
          .containsAll(staying);
    }
  }

  /** Replaces a staying key; puts, replaces or purges another. */
  private static void change(
      SegmentEntries entries, Random random, int key, Set<Integer> staying, int space, long shift) {
    long hash = hash(key, space, shift);
    if (staying.contains(key) || random.nextInt(5) > 1) {
      entries.put(entry(hash, key, random.nextInt()));
    } else {
      Entry entry = entries.find(hash, bytes(key), 0, 4);
      if (entry != null) {
        entries.purge(entry);
      }
    }
  }

  private static long hash(int key, int space, long shift) {
    return ((key * 0x9E37_79B9_7F4A_7C15L) >>> 20 & (space - 1)) << shift;
  }

  @Test
  void shrinksTheTableWhenItEmpties() {
    SegmentEntries entries = new SegmentEntries();
    List<Entry> all = new ArrayList<>();
    for (int key = 0; key < 10_000; key++) {
      all.add(entry(key * 0x9E37_79B9_7F4A_7C15L, key, 1));
      entries.put(all.getLast());
    }
    assertThat(entries.tableLength()).isEqualTo(16_384);
    all.forEach(entries::purge);
    assertThat(entries.tableLength()).isEqualTo(4);
  }

  @Test
  void readsAKeyInTheMiddleOfAnArray() {
    SegmentEntries entries = new SegmentEntries();
    Entry entry = entry(5, 77, 1);
    entries.put(entry);
    byte[] wide = ByteBuffer.allocate(12).putInt(1).putInt(77).putInt(2).array();
    assertThat(entries.find(5, wide, 4, 4)).isSameAs(entry);
    assertThat(entries.find(5, wide, 4, 3)).isNull();
    assertThat(entries.find(5, wide, 4, 5)).isNull();
    assertThat(entries.find(6, wide, 4, 4)).isNull();
  }

  @Test
  void purgeRemovesOnlyTheGivenVersion() {
    SegmentEntries entries = new SegmentEntries();
    Entry old = entry(5, 1, 1);
    Entry current = entry(5, 1, 2);
    entries.put(old);
    assertThat(entries.put(current)).isSameAs(old);
    assertThat(entries.purge(old)).isFalse();
    assertThat(entries.purge(entry(5, 1, 2))).isFalse();
    assertThat(entries.find(5, bytes(1), 0, 4)).isSameAs(current);
    assertThat(entries.purge(current)).isTrue();
    assertThat(entries.find(5, bytes(1), 0, 4)).isNull();
  }

  @Test
  void refusesToPutAnEntryTwice() {
    SegmentEntries entries = new SegmentEntries();
    Entry entry = entry(5, 1, 1);
    entries.put(entry);
    assertThatThrownBy(() -> entries.put(entry))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("put once");
    entries.purge(entry);
    assertThatThrownBy(() -> entries.put(entry)).isInstanceOf(IllegalStateException.class);
    assertThat(entries.liveCount()).isZero();
  }

  private static Entry entry(long hash, int key, int version) {
    byte[] bytes = ByteBuffer.allocate(8).putInt(key).putInt(version).array();
    return new Entry(hash, bytes, 4, 1, version, false);
  }

  private static byte[] bytes(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }

  private static int key(Entry entry) {
    return ByteBuffer.wrap(entry.bytes()).getInt();
  }
}
