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
import org.junit.jupiter.api.Test;

/** Tests the clock hand that passes over the entries when there is little to evict. */
final class SecondChanceEvictionTest {
  private final ManualNodeStore disk = new ManualNodeStore();

  private ManualReplica replica(long memoryBytes) {
    disk.maxMemoryBytes = memoryBytes;
    ManualReplica a = new ManualReplica(ManualNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flushPending();
    return a;
  }

  private void runAll(ManualReplica a) {
    for (int i = 0; i < 10; i++) {
      disk.flushPending();
      a.clock.advance(1);
    }
  }

  private static long used(ManualReplica a) {
    return a.eviction.usedBytes();
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
    SecondChanceEviction eviction =
        new SecondChanceEviction(10_000, clock, () -> List.of(a.replica, c.replica));
    eviction.onSizeChange(100 * 88 + 8_088);
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
    runAll(a);
    for (int i = 0; i < 100; i++) {
      a.remove("k" + i);
    }
    runAll(a);
    assertThat(used(a)).isZero();
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "v".repeat(1_000));
    }
    runAll(a);
    assertThat(used(a)).isLessThan(1_000);
  }

  @Test
  void valuesThatFreeNoMemoryStay() {
    ManualReplica a = replica(100);
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "abc");
      a.written("l" + i, "abcdefghi");
    }
    runAll(a);
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
    SecondChanceEviction eviction =
        new SecondChanceEviction(
            100,
            clock,
            () -> {
              asked[0]++;
              return List.of(a.replica);
            });
    eviction.onSizeChange(400_000);
    clock.advance(1);
    assertThat(a.contents()).as("the sweep has made steps").contains("k0=a value");
    disk.flushPending();
    assertThat(a.contents()).as("the sweep has ended").doesNotContain("k0=a value");
    assertThat(asked[0]).isEqualTo(1);
  }

  /** Tests that the lock is released between batches, while writes wait. */
  @Test
  void sweepContinuesAfterAFailure() {
    ManualClock clock = new ManualClock();
    List<Runnable> failing = new ArrayList<>();
    failing.add(
        () -> {
          throw new IllegalStateException("once");
        });
    SecondChanceEviction eviction =
        new SecondChanceEviction(
            10,
            clock,
            () -> {
              List<Runnable> due = List.copyOf(failing);
              failing.clear();
              due.forEach(Runnable::run);
              return List.of();
            });
    eviction.onSizeChange(100);
    assertThatIllegalStateException().isThrownBy(() -> clock.advance(1));
    eviction.onSizeChange(1);
    assertThat(clock.pendingTimers()).isEqualTo(1);
  }
}
