package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Entry;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests which values of a durable replica leave memory first, and that none is forgotten there. */
final class ValueQueueTest {
  private static final String LONG_VALUE = "v".repeat(200);

  /** What an entry takes whose value is on disk, and one with its value, about. */
  private static final long KEY_BYTES = 90;

  private static final long WHOLE_BYTES = 300;

  private final ManualNodeStore disk = new ManualNodeStore();

  /** A replica with room for all of these keys, and for the values of some. */
  private ManualReplica replica(int keys, int values) {
    disk.maxMemoryBytes = keys * KEY_BYTES + values * (WHOLE_BYTES - KEY_BYTES);
    ManualReplica a = new ManualReplica(ManualNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flushPending();
    return a;
  }

  private void write(ManualReplica a, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      a.written(prefix + i, LONG_VALUE);
      disk.runAll(a.clock);
    }
  }

  private static Entry entry(ManualReplica a, String key) {
    byte[] bytes = ManualReplica.bytes(key);
    return Objects.requireNonNull(
        a.replica.entries().get(ManualReplica.hash(key), bytes, 0, bytes.length));
  }

  private static boolean inMemory(ManualReplica a, String key) {
    return !entry(a, key).isEvicted();
  }

  private static long inMemoryCount(ManualReplica a) {
    return a.contents().stream().filter(text -> !text.endsWith("on disk")).count();
  }

  /** Reads a key as a caller does, who looks again with what was read from disk. */
  private void read(ManualReplica a, String key) {
    byte[] bytes = ManualReplica.bytes(key);
    long hash = ManualReplica.hash(key);
    Entry evicted = a.replica.readLocally(hash, bytes, 0, bytes.length).evictedEntry();
    if (evicted != null) {
      a.replica
          .valueResidency()
          .load(evicted, loaded -> a.replica.readLocally(hash, bytes, 0, bytes.length, loaded));
    }
    disk.runAll(a.clock);
  }

  @Test
  void valuesThatAreReadOncePushOutOnlyEachOther() {
    ManualReplica a = replica(240, 40);
    write(a, "once", 200);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 20; i++) {
        if (round == 0) {
          a.written("hot" + i, LONG_VALUE);
        }
        read(a, "hot" + i);
      }
    }
    for (int i = 0; i < 200; i++) {
      read(a, "once" + i);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(inMemory(a, "hot" + i)).as("hot" + i).isTrue();
    }
  }

  @Test
  void bulkLoadPushesOutOnlyItself() {
    ManualReplica a = replica(240, 40);
    write(a, "hot", 20);
    for (int i = 0; i < 20; i++) {
      read(a, "hot" + i);
    }
    write(a, "loaded", 200);
    for (int i = 0; i < 20; i++) {
      assertThat(inMemory(a, "hot" + i)).as("hot" + i).isTrue();
    }
    assertThat(inMemoryCount(a)).isLessThan(60);
  }

  @Test
  void valueThatIsReadAgainSoonAfterItLeftStays() {
    ManualReplica a = replica(240, 40);
    write(a, "k", 120);
    String left = "k119";
    for (int i = 0; inMemory(a, left); i++) {
      a.written("l" + i, LONG_VALUE);
      disk.runAll(a.clock);
    }
    read(a, left);
    write(a, "m", 20);
    assertThat(inMemory(a, left)).isTrue();
  }

  /** A victim that is used before it is on disk goes back, and leaves when it is not used again. */
  @Test
  void valueThatIsUsedWhileItWaitsForTheDiskIsNotForgotten() {
    ManualReplica a = replica(20, 0);
    for (int i = 0; i < 20; i++) {
      a.written("k" + i, LONG_VALUE);
    }
    a.clock.advance(1);
    for (int i = 0; i < 20; i++) {
      a.peek("k" + i);
    }
    disk.flushPending();
    assertThat(inMemoryCount(a)).isEqualTo(20);
    disk.runAll(a.clock);
    assertThat(inMemoryCount(a)).isZero();
    assertThat(a.valueEvictor.usedBytes()).isEqualTo(a.takenBytes());
  }

  @Test
  void valueThatIsWrittenWhileTheOneBeforeWaitsForTheDiskIsNotForgotten() {
    ManualReplica a = replica(20, 0);
    for (int i = 0; i < 20; i++) {
      a.written("k" + i, LONG_VALUE);
    }
    a.clock.advance(1);
    for (int i = 0; i < 20; i++) {
      a.written("k" + i, LONG_VALUE + "new");
    }
    disk.runAll(a.clock);
    assertThat(inMemoryCount(a)).isZero();
  }

  @Test
  void valueThatIsRemovedAndWrittenWhileItWaitsForTheDiskIsNotForgotten() {
    ManualReplica a = replica(20, 0);
    for (int i = 0; i < 20; i++) {
      a.written("k" + i, LONG_VALUE);
    }
    a.clock.advance(1);
    for (int i = 0; i < 20; i++) {
      a.remove("k" + i);
      a.written("k" + i, LONG_VALUE + "new");
    }
    disk.runAll(a.clock);
    assertThat(inMemoryCount(a)).isZero();
    assertThat(a.valueEvictor.usedBytes()).isEqualTo(a.takenBytes());
  }

  @Test
  void valuesThatWereLoadedAtARestartLeaveToo() {
    ManualReplica a = replica(40, 40);
    for (int i = 0; i < 40; i++) {
      a.written("k" + i, LONG_VALUE);
    }
    disk.flushPending();
    disk.cutPower();
    UUID node = ManualNetwork.member("a").id();
    ManualReplica back =
        new ManualReplica(new Member(ManualNetwork.member("a2").id(), node, "a"), disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(inMemoryCount(back)).isGreaterThan(30);
    assertThat(back.valueEvictor.usedBytes()).isEqualTo(back.takenBytes());
    read(back, "k7");
    write(back, "new", 30);
    assertThat(inMemory(back, "k7")).isTrue();
    assertThat(back.valueEvictor.usedBytes()).isLessThan(disk.maxMemoryBytes);
    assertThat(back.contents())
        .filteredOn(text -> text.startsWith("k"))
        .contains("k7=" + LONG_VALUE);
  }

  @Test
  void whatTheQueueTakesCounts() {
    ManualReplica a = replica(2_000, 1_000);
    for (int i = 0; i < 500; i++) {
      a.written("k" + i, LONG_VALUE);
    }
    assertThat(a.valueEvictor.usedBytes()).isEqualTo(a.takenBytes());
    assertThat(a.takenBytes() - a.replica.entries().sizeBytes()).isBetween(500L * 8, 500L * 11);
  }
}
