package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.GridException;
import io.cantle.TimeoutException;
import io.cantle.core.base.HandClock;
import io.cantle.core.replica.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The numbers of a node's writes, and the window they must stay in. */
final class SessionTest {
  private static final int WINDOW = 8_192;

  private final HandClock clock = new HandClock();
  private final Session session = new Session(new SessionId(new UUID(1, 2), 3), clock);

  private long begin(int count) {
    return session.begin(count, clock.nanoTime() + 1_000);
  }

  @Test
  void numbersWritesFromOneOn() {
    assertThat(session.id()).isEqualTo(new SessionId(new UUID(1, 2), 3));
    assertThat(begin(1)).isEqualTo(1);
    assertThat(begin(5)).isEqualTo(2);
    assertThat(begin(1)).isEqualTo(7);
    assertThat(session.lowest()).isEqualTo(1);
  }

  @Test
  void theLowestIsTheFirstWithoutAnAnswer() {
    begin(5);
    session.end(2);
    session.end(4);
    assertThat(session.lowest()).isEqualTo(1);
    session.end(1);
    assertThat(session.lowest()).isEqualTo(3);
    session.end(3);
    assertThat(session.lowest()).isEqualTo(5);
    session.end(5);
    assertThat(session.lowest()).isEqualTo(6);
  }

  @Test
  void theLowestIsRightWhateverTheOrderOfAnswers() {
    Random random = new Random(5);
    List<Long> open = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      if (open.size() < 50 || (random.nextBoolean() && open.size() < 1_000)) {
        open.add(begin(1));
      } else {
        session.end(open.remove(random.nextInt(Math.min(40, open.size()))));
      }
      if (i % 100 == 0) {
        assertThat(session.lowest()).isEqualTo(open.stream().mapToLong(n -> n).min().orElseThrow());
      }
    }
  }

  @Test
  void theWindowIsFullAndNotAWriteEarlier() {
    assertThat(begin(WINDOW)).isEqualTo(1);
    for (int sequence = 2; sequence <= WINDOW; sequence++) {
      session.end(sequence);
    }
    assertThat(session.lowest()).isEqualTo(1);
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> begin(1))
        .withMessageContainingAll("8192", "nothing was written");
    session.end(1);
    assertThat(session.lowest()).isEqualTo(WINDOW + 1);
    assertThat(begin(WINDOW)).isEqualTo(WINDOW + 1);
  }

  @Test
  void whoWaitsGoesOnWhenTheOldestIsAnswered() {
    begin(WINDOW);
    session.end(2);
    clock.whileParked.add(() -> session.end(3));
    clock.whileParked.add(() -> session.end(1));
    long before = clock.nanoTime();
    assertThat(begin(3)).isEqualTo(WINDOW + 1);
    assertThat(clock.nanoTime()).isEqualTo(before);
    assertThat(session.lowest()).isEqualTo(4);
  }

  @Test
  void aRunOfWritesWaitsUntilThereIsRoomForAll() {
    begin(WINDOW - 2);
    clock.whileParked.add(() -> session.end(1));
    assertThat(begin(3)).isEqualTo(WINDOW - 1);
    assertThat(clock.parks()).isEqualTo(1);
  }

  @Test
  void aFullWindowTakesNoNumberFromWhoGivesUp() {
    begin(WINDOW);
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> begin(1));
    session.end(1);
    assertThat(begin(1)).isEqualTo(WINDOW + 1);
  }

  @Test
  void anInterruptedWriterDoesNotWaitForRoom() {
    begin(WINDOW);
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> begin(1))
        .withMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks()).isEqualTo(1);
    session.end(1);
    assertThat(begin(1)).isEqualTo(WINDOW + 1);
  }
}
