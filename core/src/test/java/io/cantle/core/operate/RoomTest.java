package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.GridException;
import io.cantle.TimeoutException;
import io.cantle.core.base.HandClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Room for commands and their results. */
final class RoomTest {
  private final HandClock clock = new HandClock();
  private final Room room = new Room(clock, 4, 100, "the test");
  private final List<String> story = new ArrayList<>();

  private void take(long bytes) {
    room.take(bytes, clock.nanoTime() + 1_000);
  }

  @Test
  void isFullByCommandsAndNotOneEarlier() {
    for (int i = 0; i < 4; i++) {
      assertThat(room.tryTake(0)).isTrue();
    }
    assertThat(room.tryTake(0)).isFalse();
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> take(0))
        .withMessageContainingAll("the test", "4", "100", "nothing was written");
    room.give(1, 0);
    assertThat(room.tryTake(0)).isTrue();
  }

  @Test
  void isFullByBytesAndNotOneEarlier() {
    assertThat(room.tryTake(60)).isTrue();
    assertThat(room.tryTake(41)).isFalse();
    assertThat(room.tryTake(40)).isTrue();
    assertThat(room.tryTake(1)).isFalse();
    assertThat(room.tryTake(0)).as("one without a result").isTrue();
    room.give(1, 60);
    assertThat(room.tryTake(60)).isTrue();
  }

  @Test
  void whatIsLongerThanAllRoomGoesAlone() {
    assertThat(room.tryTake(5_000)).isTrue();
    assertThat(room.tryTake(1)).isFalse();
    room.give(1, 5_000);
    assertThat(room.tryTake(1)).isTrue();
    assertThat(room.tryTake(5_000)).isFalse();
  }

  @Test
  void aResultThatIsLongerThanThoughtTakesRoomFromOthers() {
    take(10);
    room.give(0, -90);
    assertThat(room.tryTake(1)).isFalse();
    room.give(1, 100);
    assertThat(room.tryTake(100)).isTrue();
  }

  @Test
  void whoeverWaitsGoesOnWhenThereIsRoomAndIsWokenOnce() {
    take(100);
    clock.whileParked.add(() -> room.give(1, 100));
    long before = clock.nanoTime();
    take(50);
    assertThat(clock.nanoTime()).isEqualTo(before);
    assertThat(clock.parks()).isEqualTo(1);
  }

  @Test
  void nobodyOvertakesWhoWaits() {
    take(60);
    clock.whileParked.add(
        () -> {
          // There is room for 40, but the one that wants 50 came first.
          assertThat(room.tryTake(10)).isFalse();
          clock.whileParked.add(() -> room.give(1, 60));
          take(10);
          story.add("10");
        });
    take(50);
    story.add("50");
    assertThat(story).as("the inner call returned when both had room").containsExactly("10", "50");
    assertThat(room.tryTake(41)).isFalse();
    assertThat(room.tryTake(40)).isTrue();
  }

  @Test
  void whoGivesUpTakesNothingAndLetsTheNextOneGo() {
    take(60);
    clock.whileParked.add(
        () -> {
          // The outer one, which wants 50, waits until its time is up; this one until it left.
          clock.whileParked.add(() -> {});
          assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> take(45));
          story.add("45 gave up");
        });
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> take(50));
    assertThat(story).containsExactly("45 gave up");
    assertThat(room.tryTake(40)).isTrue();
  }

  @Test
  void anInterruptedCallerDoesNotWait() {
    take(100);
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> take(1))
        .withMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks()).isEqualTo(1);
    room.give(1, 100);
    assertThat(room.tryTake(100)).isTrue();
  }
}
