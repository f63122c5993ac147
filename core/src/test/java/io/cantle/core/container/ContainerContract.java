package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Version;
import io.cantle.core.container.Container.VisitResult;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Container} must do, in one thread. A container has a test class that extends
 * this one, and so has each {@link EntryForm}; what depends on its own design stays there.
 */
abstract class ContainerContract {

  private static final int EXPIRY_RANGE_MILLIS = 1_000;

  /** Creates an empty container. */
  abstract Container create();

  /** What the entries keep. */
  EntryForm form() {
    return EntryForm.BYTES;
  }

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

    private static Place of(long hash, byte[] bytes, int keyLength) {
      List<Byte> key = new ArrayList<>();
      for (int i = 0; i < keyLength; i++) {
        key.add(bytes[i]);
      }
      return new Place(hash, key);
    }

    private static Place of(Entry entry) {
      return of(entry.hash(), entry.keyBytes(), entry.keyLength());
    }
  }

  /** A text of few characters, some of which are negative as bytes. */
  private static String randomKey(Random random) {
    char[] key = new char[random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (char) ((random.nextInt(4) - 2) & 0xFF);
    }
    return new String(key);
  }

  private static String randomValue(Random random) {
    byte[] value = new byte[random.nextInt(9)];
    random.nextBytes(value);
    return new String(value, StandardCharsets.ISO_8859_1);
  }

  @Test
  void answersLikeASortedMapThroughRandomChanges() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      // From keys that all share one hash to keys spread over the whole table.
      int hashes = 1 << random.nextInt(12);
      int shift = random.nextInt(62);
      int growing = 10 + random.nextInt(80);
      Container entries = create();
      NavigableMap<Place, Entry> model = new TreeMap<>();
      for (int step = 0; step < 1000; step++) {
        String text = randomKey(random);
        byte[] key = form().key(text);
        long hash = (long) (random.nextInt(hashes) - hashes / 2) << shift;
        Place place = Place.of(hash, key, key.length);
        Entry expected = model.get(place);
        assertSame(entries.get(hash, key, 0, key.length), expected);
        assertSame(entries.get(hash, text, key, 0, key.length), expected);
        assertThat(entries.read(hash, key, 0, key.length, ContainerContract::describe))
            .isEqualTo(expected == null ? null : describe(expected));
        if (random.nextInt(100) < growing) {
          Entry entry = randomEntry(hash, text, step, random);
          model.put(place, entry);
          entries.put(entry);
        } else if (!model.isEmpty()) {
          Entry entry = random.nextBoolean() ? model.firstEntry().getValue() : any(model, place);
          if (!entry.isTombstone()) {
            assertThat(entries.remove(entry.toTombstone(entry.version()))).isFalse();
          }
          assertThat(entries.contains(entry)).isTrue();
          assertThat(entries.remove(entry)).isTrue();
          assertThat(entries.contains(entry)).isFalse();
          assertThat(entries.remove(entry)).isFalse();
          model.remove(Place.of(entry));
        }
        if (random.nextInt(1000) == 0) {
          entries.clear();
          model.clear();
        }
        if (step % 50 == 0) {
          checkCounts(entries, model);
          checkExpiry(entries, model, random.nextInt(EXPIRY_RANGE_MILLIS));
          checkScan(entries, model, random);
        }
      }
      while (!model.isEmpty()) {
        assertThat(entries.remove(model.pollFirstEntry().getValue())).isTrue();
      }
      checkCounts(entries, model);
      checkExpiry(entries, model, EXPIRY_RANGE_MILLIS);
      checkScan(entries, model, random);
    }
  }

  /** A value or a tombstone; some values expire, and some are evicted. */
  private Entry randomEntry(long hash, String text, long index, Random random) {
    int stamp = random.nextInt(2);
    if (random.nextInt(4) == 0) {
      byte[] key = form().key(text);
      return Entry.of(hash, key, key.length, 1, index, true, stamp, null);
    }
    ExpiryTime expiryTime =
        random.nextInt(4) == 0 ? new ExpiryTime(random.nextInt(EXPIRY_RANGE_MILLIS), 0, 0) : null;
    Entry entry = form().entry(hash, text, randomValue(random), index, stamp, expiryTime);
    return random.nextInt(4) == 0 ? entry.withoutValue() : entry;
  }

  private static List<Object> describe(InPlaceEntry entry) {
    return List.of(
        entry.epoch(),
        entry.index(),
        entry.isTombstone(),
        entry.isEvicted(),
        entry.isExpiring(),
        entry.valueLength(),
        entry.isEvicted() ? "on disk" : ByteBuffer.wrap(entry.copyValue()),
        entry.isEvicted() || entry.valueLength() == 0
            ? "none"
            : List.of(entry.valueByte(0), ByteBuffer.wrap(entry.copyValueFrom(1))));
  }

  /** A container may return another object for an entry. */
  private static void assertSame(@Nullable Entry found, @Nullable Entry expected) {
    if (found == null || expected == null) {
      assertThat(found).isEqualTo(expected);
      return;
    }
    assertThat(found.version()).isEqualTo(expected.version());
    assertThat(found.isTombstone()).isEqualTo(expected.isTombstone());
    assertThat(found.isEvicted()).isEqualTo(expected.isEvicted());
    assertThat(found.hash()).isEqualTo(expected.hash());
    assertThat(found.bytes()).isEqualTo(expected.bytes());
    assertThat(found.keyLength()).isEqualTo(expected.keyLength());
    assertThat(found.valueLength()).isEqualTo(expected.valueLength());
    assertThat(found.markedStamp()).isEqualTo(expected.markedStamp());
    assertThat(found.expiryTime()).isEqualTo(expected.expiryTime());
  }

  private static Entry any(NavigableMap<Place, Entry> model, Place near) {
    Map.Entry<Place, Entry> found = model.ceilingEntry(near);
    return (found == null ? model.lastEntry() : found).getValue();
  }

  private static void checkCounts(Container entries, NavigableMap<Place, Entry> model) {
    int tombstones = 0;
    long bytes = 0;
    for (Entry entry : model.values()) {
      tombstones += entry.isTombstone() ? 1 : 0;
      bytes += entries.sizeBytes(entry);
    }
    assertThat(entries.liveCount()).isEqualTo(model.size() - tombstones);
    assertThat(entries.tombstoneCount()).isEqualTo(tombstones);
    assertThat(entries.sizeBytes()).isEqualTo(bytes);
  }

  private static void checkExpiry(
      Container entries, NavigableMap<Place, Entry> model, long nowMillis) {
    long earliest =
        model.values().stream().mapToLong(Entry::expiresAtMillis).min().orElse(ExpiryTime.NEVER);
    assertThat(entries.earliestExpiryMillis()).isEqualTo(earliest);
    Entry due = entries.findDue(nowMillis);
    if (earliest > nowMillis) {
      assertThat(due).isNull();
    } else {
      Entry present = Objects.requireNonNull(due);
      assertThat(present.expiresAtMillis()).isEqualTo(earliest);
      assertSame(present, model.get(Place.of(present)));
    }
  }

  /** Scans in pieces that stop at random, before or after an entry. */
  private static void checkScan(
      Container entries, NavigableMap<Place, Entry> model, Random random) {
    List<Entry> seen = new ArrayList<>();
    int stopEvery = 1 + random.nextInt(20);
    SegmentCursor cursor = SegmentCursor.START;
    while (cursor.kind() != SegmentCursor.CursorKind.END) {
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
    assertThat(seen).hasSize(model.size());
    Iterator<Entry> expected = model.values().iterator();
    seen.forEach(entry -> assertSame(entry, expected.next()));
    checkKeys(entries, model);
  }

  /** A container may leave out values that nobody looks at, and nothing else. */
  private static void checkKeys(Container entries, NavigableMap<Place, Entry> model) {
    Iterator<Entry> expected = model.values().iterator();
    SegmentCursor end =
        entries.scanKeys(
            SegmentCursor.START,
            found -> {
              Entry entry = expected.next();
              assertThat(found.hasSameKey(entry)).isTrue();
              assertThat(found.compareVersion(entry)).isZero();
              assertThat(found.isTombstone()).isEqualTo(entry.isTombstone());
              assertThat(found.valueLength()).isEqualTo(entry.valueLength());
              assertThat(found.expiryTime()).isEqualTo(entry.expiryTime());
              assertThat(found.isEvicted() || !entry.isEvicted()).isTrue();
              return VisitResult.CONTINUE;
            });
    assertThat(end).isEqualTo(SegmentCursor.END);
    assertThat(expected).isExhausted();
  }

  @Test
  void stopsBetweenTwoKeysOfEqualHash() {
    Container entries = create();
    for (int key = 0; key < 50; key++) {
      entries.put(form().entry(0xABCDL << 48, key, 1));
    }
    List<Integer> seen = new ArrayList<>();
    SegmentCursor cursor = SegmentCursor.START;
    while (cursor.kind() != SegmentCursor.CursorKind.END) {
      cursor =
          entries.scan(
              cursor,
              entry -> {
                seen.add(form().number(entry));
                return VisitResult.STOP_AFTER;
              });
      assertThat(cursor.kind() == SegmentCursor.CursorKind.END || cursor.hash() == 0xABCDL << 48)
          .isTrue();
    }
    assertThat(seen).hasSize(50).isSorted();
  }

  @Test
  void leavesTheCursorWhereItWasWhenTheFirstEntryIsNotConsumed() {
    Container entries = create();
    entries.put(form().entry(1, 1, 1));
    entries.put(form().entry(2, 2, 1));
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
    Container entries = create();
    for (int key = 0; key < 100; key++) {
      entries.put(form().entry((long) key << 57, key, 1));
    }
    Entry fifty = Objects.requireNonNull(find(entries, 50L << 57, 50));
    SegmentCursor cursor = SegmentCursor.after(fifty);
    entries.remove(fifty);
    List<Integer> seen = new ArrayList<>();
    entries.scan(
        cursor,
        entry -> {
          seen.add(form().number(entry));
          return VisitResult.CONTINUE;
        });
    assertThat(seen.getFirst()).isEqualTo(51);
    assertThat(seen).hasSize(49);
  }

  @Test
  void visitsStableKeysExactlyOnceWhileTheVisitorChangesTheSegment() {
    for (long seed = 0; seed < form().rounds(500); seed++) {
      Random random = new Random(seed);
      int keys = 1 + random.nextInt(200);
      int space = 1 << random.nextInt(12);
      long shift = random.nextInt(55);
      Container entries = create();
      Set<Integer> staying = new HashSet<>();
      for (int key = 0; key < keys; key++) {
        entries.put(form().entry(hash(key, space, shift), key, 1));
        if (random.nextInt(3) > 0) {
          staying.add(key);
        }
      }
      int restlessness = random.nextInt(30);
      int grown = random.nextInt(800);
      List<Place> visited = new ArrayList<>();
      Set<Integer> numbers = new HashSet<>();
      SegmentCursor cursor = SegmentCursor.START;
      while (cursor.kind() != SegmentCursor.CursorKind.END) {
        cursor =
            entries.scan(
                cursor,
                entry -> {
                  visited.add(Place.of(entry));
                  numbers.add(form().number(entry));
                  for (int i = random.nextInt(restlessness + 1); i > 0; i--) {
                    change(entries, random, random.nextInt(keys + grown), staying, space, shift);
                  }
                  return random.nextInt(10) == 0 ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
                });
      }
      assertThat(visited).as("seed %s", seed).isSorted().doesNotHaveDuplicates();
      assertThat(numbers).as("seed %s", seed).containsAll(staying);
    }
  }

  /** Replaces a staying key; puts, replaces or removes another. */
  private void change(
      Container entries, Random random, int key, Set<Integer> staying, int space, long shift) {
    long hash = hash(key, space, shift);
    if (staying.contains(key) || random.nextInt(5) > 1) {
      entries.put(form().entry(hash, key, random.nextInt()));
    } else {
      Entry entry = find(entries, hash, key);
      if (entry != null) {
        entries.remove(entry);
      }
    }
  }

  private static long hash(int key, int space, long shift) {
    return ((key * 0x9E37_79B9_7F4A_7C15L) >>> 20 & (space - 1)) << shift;
  }

  @Test
  void readsAKeyInTheMiddleOfAnArray() {
    Container entries = create();
    Entry entry = form().entry(5, 77, 1);
    entries.put(entry);
    byte[] key = form().key(77);
    byte[] wide = ByteBuffer.allocate(key.length + 8).putInt(1).put(key).putInt(2).array();
    assertSame(entries.get(5, wide, 4, key.length), entry);
    assertThat(entries.get(5, wide, 4, key.length - 1)).isNull();
    assertThat(entries.get(5, wide, 4, key.length + 1)).isNull();
    assertThat(entries.get(6, wide, 4, key.length)).isNull();
  }

  @Test
  void readsNoByteBesideAValue() {
    Container entries = create();
    Entry written = form().entry(5, 77, 1);
    entries.put(written);
    byte[] key = form().key(77);
    for (int index : new int[] {-1, written.valueLength()}) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> entries.read(5, key, 0, key.length, entry -> entry.valueByte(index)));
    }
  }

  @Test
  void removesOnlyWhatIsStillPresent() {
    Container entries = create();
    Entry old = form().entry(5, 1, 1);
    Entry whole = form().entry(5, 1, 2);
    Entry evicted = whole.withoutValue();
    entries.put(old);
    entries.put(whole);
    entries.put(evicted);
    for (Entry absent : List.of(old, whole, form().entry(5, 2, 2))) {
      assertThat(entries.contains(absent)).isFalse();
      assertThat(entries.remove(absent)).isFalse();
    }
    Entry found = Objects.requireNonNull(find(entries, 5, 1));
    assertSame(found, evicted);
    assertThat(entries.contains(evicted)).isTrue();
    assertThat(entries.remove(found)).isTrue();
    assertThat(find(entries, 5, 1)).isNull();
  }

  @Test
  void findsALiveEntryByItsHash() {
    Container entries = create();
    entries.put(form().entry(5, 1, 1).toTombstone(new Version(1, 1)));
    assertThat(entries.findLive(5)).isNull();
    Entry live = form().entry(5, 2, 1);
    entries.put(live);
    entries.put(form().entry(6, 3, 1));
    assertSame(entries.findLive(5), live);
    assertThat(entries.findLive(4)).isNull();
    assertThat(entries.findLive(7)).isNull();
  }

  @Test
  void marksAnEntryAsUsedUntilTheMarkIsTaken() {
    Container entries = create();
    entries.put(form().entry(5, 1, 1));
    entries.put(form().entry(6, 2, 1));
    Entry entry = Objects.requireNonNull(find(entries, 5, 1));
    assertThat(entries.testAndClearUsed(entry)).isFalse();
    entries.markUsed(entry);
    Entry again = Objects.requireNonNull(find(entries, 5, 1));
    assertThat(entries.isUsed(again)).isTrue();
    assertThat(entries.isUsed(Objects.requireNonNull(find(entries, 6, 2)))).isFalse();
    assertThat(entries.testAndClearUsed(again)).isTrue();
    assertThat(entries.isUsed(entry)).isFalse();
    entries.markUsed(entry);
    entries.put(form().entry(5, 1, 2));
    assertThat(entries.isUsed(Objects.requireNonNull(find(entries, 5, 1)))).isFalse();
  }

  private @Nullable Entry find(Container entries, long hash, int number) {
    byte[] key = form().key(number);
    return entries.get(hash, key, 0, key.length);
  }
}
