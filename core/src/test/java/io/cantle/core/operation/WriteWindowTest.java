package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.core.base.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the window for commands and their results. */
final class WriteWindowTest {
  private final ManualClock clock = new ManualClock();
  private final WriteWindow room = new WriteWindow(clock, 4, 100, "the test");
  private final List<String> story = new ArrayList<>();

  private void take(long bytes) {
    room.acquire(bytes, clock.nanoTime() + 1_000);
  }

  @Test
  void isFullAtTheCommandLimit() {
    for (int i = 0; i < 4; i++) {
      assertThat(room.tryAcquire(0)).isTrue();
    }
    assertThat(room.tryAcquire(0)).isFalse();
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(() -> take(0))
        .withMessageContainingAll("the test", "4", "100", "nothing was written");
    room.release(1, 0);
    assertThat(room.tryAcquire(0)).isTrue();
  }

  @Test
  void isFullAtTheByteLimit() {
    assertThat(room.tryAcquire(60)).isTrue();
    assertThat(room.tryAcquire(41)).isFalse();
    assertThat(room.tryAcquire(40)).isTrue();
    assertThat(room.tryAcquire(1)).isFalse();
    assertThat(room.tryAcquire(0)).as("a command without a result").isTrue();
    room.release(1, 60);
    assertThat(room.tryAcquire(60)).isTrue();
  }

  @Test
  void oversizedCommandRunsAlone() {
    assertThat(room.tryAcquire(5_000)).isTrue();
    assertThat(room.tryAcquire(1)).isFalse();
    room.release(1, 5_000);
    assertThat(room.tryAcquire(1)).isTrue();
    assertThat(room.tryAcquire(5_000)).isFalse();
  }

  @Test
  void underestimatedResultTakesRoomFromOthers() {
    take(10);
    room.release(0, -90);
    assertThat(room.tryAcquire(1)).isFalse();
    room.release(1, 100);
    assertThat(room.tryAcquire(100)).isTrue();
  }

  @Test
  void waiterContinuesWhenRoomIsReleasedAndIsWokenOnce() {
    take(100);
    clock.whileParked.add(() -> room.release(1, 100));
    long before = clock.nanoTime();
    take(50);
    assertThat(clock.nanoTime()).isEqualTo(before);
    assertThat(clock.parkCount()).isEqualTo(1);
  }

  @Test
  void waitersAreServedInOrder() {
    take(60);
    clock.whileParked.add(
        () -> {
          // There is room for 40, but the command that needs 50 came first.
          assertThat(room.tryAcquire(10)).isFalse();
          clock.whileParked.add(() -> room.release(1, 60));
          take(10);
          story.add("10");
        });
    take(50);
    story.add("50");
    assertThat(story)
        .as("the inner call returned when there was room for both")
        .containsExactly("10", "50");
    assertThat(room.tryAcquire(41)).isFalse();
    assertThat(room.tryAcquire(40)).isTrue();
  }

  @Test
  void abandonedWaitTakesNothingAndWakesTheNext() {
    take(60);
    clock.whileParked.add(
        () -> {
          // Both calls wait until their deadlines: the outer one needs 50, this one 45.
          clock.whileParked.add(() -> {});
          assertThatExceptionOfType(CallTimeoutException.class).isThrownBy(() -> take(45));
          story.add("45 gave up");
        });
    assertThatExceptionOfType(CallTimeoutException.class).isThrownBy(() -> take(50));
    assertThat(story).containsExactly("45 gave up");
    assertThat(room.tryAcquire(40)).isTrue();
  }

  @Test
  void interruptedCallerDoesNotWait() {
    take(100);
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> take(1))
        .withMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parkCount()).isEqualTo(1);
    room.release(1, 100);
    assertThat(room.tryAcquire(100)).isTrue();
  }
}
