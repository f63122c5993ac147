package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.HandClock;
import io.cantle.core.store.HandStore;
import io.cantle.core.transport.HandNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** What the hand does that goes over the entries, where there is little to take. */
final class EvictionTest {
  private final HandStore disk = new HandStore();

  private HandReplica replica(long memoryBytes) {
    disk.memoryBytes = memoryBytes;
    HandReplica a = new HandReplica(HandNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flush();
    return a;
  }

  private void settle(HandReplica a) {
    for (int i = 0; i < 10; i++) {
      disk.flush();
      a.clock.advance(1);
    }
  }

  private static long used(HandReplica a) {
    return Objects.requireNonNull(a.eviction).usedBytes();
  }

  @Test
  void removedKeysThatStayDoNotHideWhatCanGo() {
    HandReplica a = replica(Long.MAX_VALUE);
    HandReplica joiner = new HandReplica("b");
    open(ownership(2, List.of(a), List.of(joiner), 2), a, joiner);
    for (int i = 0; i < 100; i++) {
      a.written("k" + i, "");
      a.remove("k" + i);
    }
    HandStore other = new HandStore();
    HandReplica c = new HandReplica(HandNetwork.member("c"), other);
    open(ownership(1, c), c);
    c.written("one", "v".repeat(8_000));
    HandClock clock = new HandClock();
    Eviction eviction = new Eviction(10_000, clock, () -> List.of(a.replica, c.replica));
    eviction.changed(100 * 88 + 8_088);
    clock.advance(1);
    other.flush();
    assertThat(c.contents()).containsExactly("one=on disk");
  }

  @Test
  void keysThatWereTooManyAreForgottenOnceTheyAreGone() {
    HandReplica a = replica(1_000);
    for (int i = 0; i < 100; i++) {
      a.written("k" + i, "");
    }
    settle(a);
    for (int i = 0; i < 100; i++) {
      a.remove("k" + i);
    }
    settle(a);
    assertThat(used(a)).isZero();
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "v".repeat(1_000));
    }
    settle(a);
    assertThat(used(a)).isLessThan(1_000);
  }

  @Test
  void whatWouldFreeNothingStays() {
    HandReplica a = replica(100);
    for (int i = 0; i < 5; i++) {
      a.written("k" + i, "abc");
      a.written("l" + i, "abcdefghi");
    }
    settle(a);
    assertThat(a.contents()).contains("k0=abc", "k4=abc", "l0=on disk", "l4=on disk").hasSize(10);
  }

  @Test
  void aSweepOfManySeesOneList() {
    HandReplica a = replica(Long.MAX_VALUE);
    for (int i = 0; i < 40_000; i++) {
      a.written("k" + i, "a value");
      a.peek("k" + i);
    }
    disk.flush();
    HandClock clock = new HandClock();
    int[] asked = new int[1];
    Eviction eviction =
        new Eviction(
            100,
            clock,
            () -> {
              asked[0]++;
              return List.of(a.replica);
            });
    eviction.changed(400_000);
    clock.advance(1);
    assertThat(a.contents()).as("it took steps").contains("k0=a value");
    disk.flush();
    assertThat(a.contents()).as("which came to an end").doesNotContain("k0=a value");
    assertThat(asked[0]).isEqualTo(1);
  }

  /** How many entries go while writes wait. */
  @Test
  void whatGoesTogetherLetsOthersInBetween() {
    HandReplica a = replica(Long.MAX_VALUE);
    for (int i = 0; i < 3 * Values.LOCKED; i++) {
      a.written("k" + i, "a value");
    }
    disk.flush();
    int[] locked = new int[1];
    Values values =
        a.values(
            new ReentrantLock() {
              private static final long serialVersionUID = 1;

              @Override
              public void lock() {
                locked[0]++;
                super.lock();
              }
            });
    values.evict(Long.MAX_VALUE, Long.MAX_VALUE, bytes -> {});
    locked[0] = 0;
    disk.flush();
    assertThat(a.contents()).allMatch(text -> text.endsWith("on disk"));
    assertThat(locked[0]).isEqualTo(3);
  }

  @Test
  void aSweepThatFailedIsNotTheLast() {
    HandClock clock = new HandClock();
    List<Runnable> failing = new ArrayList<>();
    failing.add(
        () -> {
          throw new IllegalStateException("once");
        });
    Eviction eviction =
        new Eviction(
            10,
            clock,
            () -> {
              List<Runnable> due = List.copyOf(failing);
              failing.clear();
              due.forEach(Runnable::run);
              return List.of();
            });
    eviction.changed(100);
    assertThatIllegalStateException().isThrownBy(() -> clock.advance(1));
    eviction.changed(1);
    assertThat(clock.timers()).isEqualTo(1);
  }
}
