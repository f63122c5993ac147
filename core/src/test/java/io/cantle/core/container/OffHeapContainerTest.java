package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Version;
import io.cantle.core.memory.MemoryAccount;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OffHeapContainerTest extends ContainerContract {
  private static final long LIMIT_BYTES = 64 << 20;

  private final MemoryAccount account = new MemoryAccount(Long.MAX_VALUE);
  private final List<Container> created = new ArrayList<>();

  @Override
  Container create() {
    Container entries = new OffHeapContainer(Arena::ofShared, account);
    created.add(entries);
    return entries;
  }

  @AfterEach
  void givesAllMemoryBackWhenItIsCleared() {
    created.forEach(Container::clear);
    assertThat(account.reservedBytes()).isZero();
  }

  @Test
  void takesNoMemoryBeforeTheFirstEntry() {
    Container entries = create();
    assertThat(entries.get(1, new byte[4], 0, 4)).isNull();
    assertThat(account.reservedBytes()).isZero();
  }

  @Test
  void isUsableAfterItWasCleared() {
    Container entries = create();
    for (int round = 0; round < 3; round++) {
      fill(entries, 1_000, 100);
      assertThat(entries.liveCount()).isEqualTo(1_000);
      entries.clear();
      assertThat(account.reservedBytes()).isZero();
      assertThat(entries.sizeBytes()).isZero();
      assertThat(entries.scan(SegmentCursor.START, entry -> Container.VisitResult.STOP_AFTER))
          .isEqualTo(SegmentCursor.END);
    }
  }

  @Test
  void givesMemoryBackAsEntriesGo() {
    Container entries = create();
    List<Entry> all = fill(entries, 10_000, 1_000);
    long full = account.reservedBytes();
    all.subList(0, 9_000).forEach(entries::remove);
    assertThat(account.reservedBytes()).isLessThan(full / 2);
    all.subList(9_000, 10_000).forEach(entry -> assertThat(entries.contains(entry)).isTrue());
    all.subList(9_000, 10_000).forEach(entries::remove);
    assertThat(account.reservedBytes()).isLessThanOrEqualTo(SlabAllocator.MIN_SLAB_BYTES);
  }

  @Test
  void entriesTakeLessThan48BytesBesideTheirKeysAndValues() {
    Container entries = create();
    int count = 50_000;
    fill(entries, count, 1_000);
    long payload = count * 1_008L;
    assertThat((account.reservedBytes() - payload) / (double) count).isBetween(32.0, 48.0);
    assertThat((entries.sizeBytes() - payload) / (double) count).isBetween(32.0, 48.0);
  }

  @Test
  void reservesLittleMoreThanEntriesTakeThoughTheyChangeTheirLengths() {
    for (long seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      Container entries = create();
      for (int step = 0; step < 100_000; step++) {
        // The lengths drift, so that blocks of one size are not wanted again.
        int most = 64 + step / 100;
        entries.put(entry(random.nextInt(2_000), step, random.nextInt(most)));
      }
      assertThat(account.reservedBytes())
          .as("seed %s", seed)
          .isLessThan(entries.sizeBytes() * 3 / 2);
      entries.clear();
    }
  }

  @Test
  void keepsLongEntries() {
    Container entries = create();
    int[] lengths = {0, 1, 250_000, 262_144, 300_000, 5_000_000, 3};
    for (int key = 0; key < lengths.length; key++) {
      entries.put(entry(key, 1, lengths[key]));
    }
    for (int key = 0; key < lengths.length; key++) {
      Entry expected = entry(key, 1, lengths[key]);
      Entry found = Objects.requireNonNull(entries.get(expected.hash(), expected.bytes(), 0, 8));
      assertThat(found.bytes()).isEqualTo(expected.bytes());
    }
  }

  @Test
  void losesNothingWhenTheMachineHasNoMemoryForMore() {
    Container entries = new OffHeapContainer(new CountedArenas(LIMIT_BYTES), account);
    created.add(entries);
    int fitting = 0;
    for (boolean fits = true; fits; fitting += fits ? 1 : 0) {
      int key = fitting;
      try {
        entries.put(entry(key, 1, 1_000));
      } catch (OutOfMemoryError expected) {
        fits = false;
      }
    }
    assertThat(entries.liveCount()).isEqualTo(fitting).isGreaterThan(50_000);
    for (int key = 0; key < fitting; key++) {
      assertThat(entries.contains(entry(key, 1, 1_000))).isTrue();
    }
    // A value of the same length needs no block, a longer one does. What goes makes room for it.
    entries.put(entry(0, 2, 1_000));
    assertThatThrownBy(() -> entries.put(entry(2, 2, 1_400))).isInstanceOf(OutOfMemoryError.class);
    assertThat(entries.contains(entry(2, 1, 1_000))).isTrue();
    assertThat(entries.remove(entry(1, 1, 1_000))).isTrue();
    entries.put(entry(fitting, 1, 1_000));
    assertThat(entries.contains(entry(0, 2, 1_000))).isTrue();
    assertThat(entries.contains(entry(fitting, 1, 1_000))).isTrue();
  }

  /** Puts entries of 1,000 bytes until there is no room for another; returns how many. */
  private int fill(Container entries) {
    created.add(entries);
    int count = 0;
    for (; entries.shortageFor(entry(count, 1, 1_000)) == null; count++) {
      entries.put(entry(count, 1, 1_000));
    }
    return count;
  }

  @Test
  void whatWasRemovedMakesRoomForAsMuchWhenMemoryIsFull() {
    MemoryAccount limited = new MemoryAccount(LIMIT_BYTES);
    Container entries = new OffHeapContainer(Arena::ofShared, limited);
    int count = fill(entries);
    // Nothing is left for the tombstone either, which is written over the entry.
    for (int key = 1_000_000; entries.shortageFor(entry(key, 1, 1)) == null; key++) {
      entries.put(entry(key, 1, 1));
    }
    for (int key = 0; key < count; key++) {
      Entry tombstone = entry(key, 1, 1_000).toTombstone(new Version(1, 2));
      entries.put(tombstone);
      assertThat(entries.remove(tombstone)).isTrue();
      assertThat(entries.shortageFor(entry(key, 3, 1_000))).as("key %s", key).isNull();
      entries.put(entry(key, 3, 1_000));
    }
    assertThat(limited.mostReservedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
  }

  @Test
  void whatIsNoLongerThanBeforeNeedsNoMemory() {
    MemoryAccount limited = new MemoryAccount(LIMIT_BYTES);
    Container entries = new OffHeapContainer(Arena::ofShared, limited);
    int count = fill(entries);
    long full = limited.reservedBytes();
    for (int key = 0; key < count; key++) {
      entries.put(entry(key, 2, 1_000));
    }
    assertThat(limited.mostReservedBytes()).isEqualTo(full);
    for (int key = 0; key < count; key++) {
      entries.put(key % 2 == 0 ? tombstone(key, 3) : entry(key, 3, 1_000 - key % 900));
    }
    assertThat(limited.mostReservedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    assertThat(entries.tombstoneCount()).isEqualTo((count + 1) / 2);
    for (int key = 0; key < count; key++) {
      Entry expected = key % 2 == 0 ? tombstone(key, 3) : entry(key, 3, 1_000 - key % 900);
      Entry found = Objects.requireNonNull(entries.get(expected.hash(), expected.bytes(), 0, 8));
      assertThat(found.bytes()).isEqualTo(expected.bytes());
    }
    entries.clear();
    assertThat(limited.reservedBytes()).isZero();
  }

  @Test
  void saysWhatIsShortAndPutsItAllTheSame() {
    MemoryAccount limited = new MemoryAccount(LIMIT_BYTES);
    Container entries = new OffHeapContainer(Arena::ofShared, limited);
    int key = 0;
    for (; entries.shortageFor(entry(key, 1, 1_000)) == null; key++) {
      entries.put(entry(key, 1, 1_000));
    }
    assertThat(key).isGreaterThan(60_000);
    assertThat(limited.reservedBytes()).isBetween(LIMIT_BYTES - 2_000, LIMIT_BYTES);
    assertThat(entries.shortageFor(entry(key, 1, 1_000)))
        .isEqualTo(new Container.MemoryShortage(limited.reservedBytes(), LIMIT_BYTES));

    // What was removed is room for as much.
    entries.remove(entry(1, 1, 1_000));
    assertThat(entries.shortageFor(entry(key, 1, 1_000))).isNull();
    entries.put(entry(key, 1, 1_000));
    assertThat(limited.reservedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);

    for (int more = 0; more < 1_000; more++) {
      entries.put(entry(++key, 1, 1_000));
    }
    assertThat(entries.liveCount()).isEqualTo(key);
    assertThat(limited.reservedBytes()).isGreaterThan(LIMIT_BYTES);
    entries.clear();
    assertThat(limited.reservedBytes()).isZero();
  }

  @Test
  void saysThatThereIsNoMemoryForAFirstEntry() {
    MemoryAccount limited = new MemoryAccount(1_000);
    Container entries = new OffHeapContainer(Arena::ofShared, limited);
    assertThat(entries.shortageFor(entry(1, 1, 10))).isNotNull();
    entries.put(entry(1, 1, 10));
    assertThat(entries.contains(entry(1, 1, 10))).isTrue();
    entries.clear();
    assertThat(limited.reservedBytes()).isZero();
  }

  private static Entry tombstone(int key, int version) {
    return entry(key, 1, 0).toTombstone(new Version(1, version));
  }

  private static List<Entry> fill(Container entries, int count, int valueLength) {
    List<Entry> all = new ArrayList<>();
    for (int key = 0; key < count; key++) {
      all.add(entry(key, 1, valueLength));
      entries.put(all.getLast());
    }
    return all;
  }

  /** A key of 8 bytes, and a value made of the version. */
  private static Entry entry(int key, int version, int valueLength) {
    ByteBuffer bytes = ByteBuffer.allocate(8 + valueLength).putInt(key).putInt(0);
    while (bytes.hasRemaining()) {
      bytes.put((byte) (version + bytes.position()));
    }
    long hash = key * 0x9E37_79B9_7F4A_7C15L;
    return Entry.of(hash, bytes.array(), 8, 1, version, false, 0, null);
  }
}
