package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.ManualClock;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.transport.ManualNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests how the segments of a node take turns, and what is done when there is little to evict. */
final class ValueEvictorTest {
  private final ManualNodeStore disk = new ManualNodeStore();

  private ManualReplica replica(long memoryBytes) {
    disk.maxMemoryBytes = memoryBytes;
    ManualReplica a = new ManualReplica(ManualNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flushPending();
    return a;
  }

  private static long used(ManualReplica a) {
    return a.valueEvictor.usedBytes();
  }

  @Test
  void tombstonesDoNotKeepValuesFromBeingEvicted() {
    ManualReplica a = replica(Long.MAX_VALUE);
    ManualReplica joiner = new ManualReplica("b");
    open(ownership(2, List.of(a), List.of(joiner), 2), a, joiner);
    for (int i = 0; i < 100; i++) {
      a.written("k" + i, "");
      a.remove("k" + i);
    }
    ManualNodeStore other = new ManualNodeStore();
    ManualReplica c = new ManualReplica(ManualNetwork.member("c"), other);
    open(ownership(1, c), c);
    c.written("one", "v".repeat(8_000));
    ManualClock clock = new ManualClock();
    ValueEvictor evictor =
        new ValueEvictor(
            10_000, clock, () -> List.of(a.replica.valueResidency(), c.replica.valueResidency()));
    evictor.onSizeChange(100 * 88 + 8_088);
    clock.advance(1);
    other.flushPending();
    assertThat(c.contents()).containsExactly("one=on disk");
  }

  @Test
  void sweepResumesAfterKeysAreRemoved() {
    ManualReplica a = replica(1_000);
    for (int i = 0; i < 100; i++) {
      a.written("k" + i, "");
    }
    disk.runAll(a.clock);
    for (int i = 0; i < 100; i++) {
      a.remove("k" + i);
    }
    disk.runAll(a.clock);
    assertThat(used(a)).isZero();
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "v".repeat(1_000));
    }
    disk.runAll(a.clock);
    assertThat(used(a)).isLessThan(1_000);
  }

  @Test
  void valuesThatFreeNoMemoryStay() {
    ManualReplica a = replica(100);
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "abc");
      a.written("l" + i, "abcdefghi");
    }
    disk.runAll(a.clock);
    assertThat(a.contents()).contains("k0=abc", "k4=abc", "l0=on disk", "l4=on disk").hasSize(10);
  }

  @Test
  void sweepOfManyReplicasReadsTheirListOnce() {
    ManualReplica a = replica(Long.MAX_VALUE);
    for (int i = 0; i < 40_000; i++) {
      a.written("k" + i, "a value");
      a.peek("k" + i);
    }
    disk.flushPending();
    ManualClock clock = new ManualClock();
    int[] asked = new int[1];
    ValueEvictor evictor =
        new ValueEvictor(
            100,
            clock,
            () -> {
              asked[0]++;
              return List.of(a.replica.valueResidency());
            });
    evictor.onSizeChange(400_000);
    clock.advance(1);
    assertThat(a.contents()).as("the sweep has made steps").contains("k0=a value");
    disk.flushPending();
    assertThat(a.contents()).as("the sweep has ended").doesNotContain("k0=a value");
    assertThat(asked[0]).isEqualTo(1);
  }

  @Test
  void valuesInUseStayWhenAnotherSegmentIsLoaded() {
    DurableCache cache = new DurableCache(2, 4_000, 500);
    List<Long> used = keysOf(cache, 0, 0, 200);
    List<Long> loaded = keysOf(cache, 1, 1_000, 3_000);
    used.forEach(cache::write);
    int reads = 0;
    for (long key : loaded) {
      cache.write(key);
      for (int i = 0; i < 3; i++) {
        cache.read(used.get(reads++ % used.size()));
      }
    }
    assertThat(cache.inMemoryCount(0)).isEqualTo(used.size());
  }

  @Test
  void memoryGoesFromASegmentThatIsIdleToTheOneInUse() {
    DurableCache cache = new DurableCache(2, 4_000, 500);
    List<Long> idle = keysOf(cache, 0, 0, 1_000);
    List<Long> used = keysOf(cache, 1, 0, 1_000);
    used.forEach(cache::write);
    idle.forEach(cache::write);
    idle.forEach(cache::read);
    int before = cache.inMemoryCount(0);
    for (int round = 0; round < 20; round++) {
      used.subList(0, 400).forEach(cache::read);
    }
    assertThat(before).isGreaterThan(150);
    assertThat(cache.inMemoryCount(0)).isLessThan(before / 2);
    assertThat(cache.inMemoryCount(1)).isGreaterThan(350);
  }

  private static List<Long> keysOf(DurableCache cache, int segment, long from, int count) {
    return LongStream.iterate(from, key -> key + 1)
        .filter(key -> cache.segmentOf(key) == segment)
        .limit(count)
        .boxed()
        .toList();
  }

  @Test
  void sweepContinuesAfterAFailure() {
    ManualClock clock = new ManualClock();
    List<Runnable> failing = new ArrayList<>();
    failing.add(
        () -> {
          throw new IllegalStateException("once");
        });
    ValueEvictor evictor =
        new ValueEvictor(
            10,
            clock,
            () -> {
              List<Runnable> due = List.copyOf(failing);
              failing.clear();
              due.forEach(Runnable::run);
              return List.of();
            });
    evictor.onSizeChange(100);
    assertThatIllegalStateException().isThrownBy(() -> clock.advance(1));
    evictor.onSizeChange(1);
    assertThat(clock.pendingTimers()).isEqualTo(1);
  }
}
