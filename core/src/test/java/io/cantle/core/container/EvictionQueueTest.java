package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The order in which {@link EvictionQueue} gives entries up. */
final class EvictionQueueTest {
  private final HeapContainer entries = new HeapContainer();
  private final EvictionQueue queue = new EvictionQueue(entries);
  private long index;

  @Test
  void keysThatWereNotUsedGoInTheirOrder() {
    putAll(0, 4);
    assertThat(evict(4)).containsExactly(0, 1, 2, 3);
    assertThat(queue.pollVictim()).isNull();
  }

  @Test
  void usedKeyBeginsAgain() {
    putAll(0, 4);
    use(0);
    assertThat(evict(4)).containsExactly(1, 2, 3, 0);
  }

  @Test
  void keysThatAreWantedOncePushOutOnlyEachOther() {
    putAll(0, 100);
    evict(1);
    for (int key = 1; key < 100; key++) {
      use(key);
    }
    for (int key = 1_000; key < 2_000; key++) {
      put(key);
      evict(1);
    }
    int kept = 0;
    for (int key = 1; key < 100; key++) {
      kept += find(key) != null ? 1 : 0;
    }
    // What is on probation may take the room of a tenth.
    assertThat(kept).isGreaterThanOrEqualTo(90);
  }

  @Test
  void keyThatComesBackSoonAfterItWasEvictedStays() {
    putAll(0, 40);
    evict(1);
    putAll(100, 105);
    List<Integer> gone = evict(1);
    put(gone.getFirst());
    for (int key = 200; key < 210; key++) {
      put(key);
      evict(1);
    }
    assertThat(find(gone.getFirst())).isNotNull();
  }

  @Test
  void removedAndRewrittenKeysLeaveNoPlacesBehind() {
    for (int round = 0; round < 10_000; round++) {
      put(1);
      entries.remove(Objects.requireNonNull(find(1)));
    }
    put(1);
    put(2);
    assertThat(evict(2)).containsExactlyInAnyOrder(1, 2);
    assertThat(queue.pollVictim()).isNull();
  }

  @Test
  void forgetsEverythingWhenCleared() {
    putAll(0, 10);
    evict(2);
    entries.clear();
    queue.clear();
    assertThat(queue.pollVictim()).isNull();
    putAll(0, 2);
    assertThat(evict(2)).containsExactly(0, 1);
  }

  @Test
  void looksAtOnePlaceAtATime() {
    putAll(0, 2);
    use(0);
    assertThat(queue.pollUnused()).isNull();
    assertThat(queue.pollUnused()).isSameAs(find(1));
    assertThat(queue.pollUnused()).isSameAs(find(0));
    assertThat(queue.size()).isZero();
    assertThat(queue.pollUnused()).isNull();
  }

  @Test
  void entryThatIsTakenBackBelongsIntoTheMainQueueAndIsNoGhost() {
    putAll(0, 40);
    evict(1);
    putAll(100, 106);
    Entry spared = Objects.requireNonNull(queue.pollVictim());
    assertThat(spared).isSameAs(find(100));
    queue.takeBack(spared);
    assertThat(queue.size()).isEqualTo(45);
    assertThat(queue.surplus()).as("of 5 on probation beside 40").isEqualTo(1);
    // Were it still a ghost, it would come back to the main queue.
    entries.remove(spared);
    put(100);
    assertThat(queue.surplus()).isEqualTo(2);
  }

  @Test
  void keyThatIsGoneIsNotTakenBack() {
    putAll(0, 1);
    Entry victim = Objects.requireNonNull(queue.pollVictim());
    entries.remove(victim);
    queue.takeBack(victim);
    assertThat(queue.size()).isZero();
  }

  private void putAll(int from, int to) {
    for (int key = from; key < to; key++) {
      put(key);
    }
  }

  private void put(int key) {
    Entry added = Entry.of(key * 0x9E37_79B9_7F4A_7C15L, bytes(key), 4, 1, ++index, false, 0, null);
    Entry before = entries.get(added.hash(), added.bytes(), 0, added.keyLength());
    entries.put(added);
    if (before == null) {
      queue.onAdded(added);
    }
  }

  private void use(int key) {
    entries.markUsed(Objects.requireNonNull(find(key)));
  }

  private @Nullable Entry find(int key) {
    return entries.get(key * 0x9E37_79B9_7F4A_7C15L, bytes(key), 0, 4);
  }

  private List<Integer> evict(int count) {
    List<Integer> evicted = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Entry victim = Objects.requireNonNull(queue.pollVictim());
      assertThat(entries.remove(victim)).isTrue();
      evicted.add(ByteBuffer.wrap(victim.bytes()).getInt());
    }
    return evicted;
  }

  private static byte[] bytes(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }
}
