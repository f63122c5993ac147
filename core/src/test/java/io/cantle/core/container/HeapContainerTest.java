package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    assertThat(entries.tableLength()).isEqualTo(16_384);
    all.forEach(entries::remove);
    assertThat(entries.tableLength()).isEqualTo(4);
  }

  @Test
  void refusesToPutAnEntryTwice() {
    HeapContainer entries = new HeapContainer();
    Entry entry = entry(5, 1, 1);
    entries.put(entry);
    assertThatThrownBy(() -> entries.put(entry))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("put once");
    entries.remove(entry);
    assertThatThrownBy(() -> entries.put(entry)).isInstanceOf(IllegalStateException.class);
    assertThat(entries.liveCount()).isZero();
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
