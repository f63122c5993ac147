package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapContainerTest extends ContainerContract {
  @Override
  Container create() {
    return new HeapContainer();
  }

  @Test
  void shrinksTheTableWhenItEmpties() {
    HeapContainer entries = new HeapContainer();
    List<Entry> all = new ArrayList<>();
    for (int key = 0; key < 10_000; key++) {
      all.add(entry(key * 0x9E37_79B9_7F4A_7C15L, key, 1));
      entries.put(all.getLast());
    }
    assertThat(entries.tableLength()).isBetween(12_500, 20_000);
    all.forEach(entries::remove);
    assertThat(entries.tableLength()).isEqualTo(4);
  }

  /**
   * Each new key stands in front of the others, which it moves, and these stand where others begin.
   */
  @Test
  void findsKeysBehindManyThatWereMovedFarFromHome() {
    HeapContainer entries = new HeapContainer();
    for (int key = 0; key < 5_000; key++) {
      entries.put(entry((long) key << 51, key, 1));
    }
    long home = entries.tableLength() / 4 * 3L;
    List<Entry> added = new ArrayList<>();
    for (int key = 100; key > 0; key--) {
      added.add(entry(hashAt(entries, home) + ((long) key << 32), key, 1));
      entries.put(added.getLast());
    }
    for (int distance = 50; distance < 100; distance++) {
      added.add(entry(hashAt(entries, home + distance), -distance, 1));
      entries.put(added.getLast());
    }
    assertThat(added).allMatch(entries::contains);
    assertThat(entries.liveCount()).isEqualTo(5_150);
  }

  /** A hash whose home in the table is a slot. */
  private static long hashAt(HeapContainer entries, long slot) {
    return ((slot << 32) / entries.tableLength() + 1) << 32;
  }

  /** A reader that comes late must not bring back the value of an entry evicted again meanwhile. */
  @Test
  void tellsTheSameVersionPutAgainFromTheFirst() {
    HeapContainer entries = new HeapContainer();
    Entry first = entry(5, 1, 1);
    Entry second = entry(5, 1, 1);
    entries.put(first);
    entries.put(second);
    assertThat(entries.contains(first)).isFalse();
    assertThat(entries.contains(second)).isTrue();
  }

  private static Entry entry(long hash, int key, int version) {
    byte[] bytes = ByteBuffer.allocate(8).putInt(key).putInt(version).array();
    return Entry.of(hash, bytes, 4, 1, version, false, 0, null);
  }
}
