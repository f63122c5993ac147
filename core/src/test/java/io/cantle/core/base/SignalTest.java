package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Raised once or often, a signal wakes once. */
final class SignalTest {
  private final HandClock clock = new HandClock();
  private final Signal signal = new Signal();

  @Test
  void doesNotWaitWhenItWasRaisedBefore() {
    signal.raise();
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(clock.parks()).isZero();
  }

  @Test
  void raisedTwiceItWakesOnce() {
    signal.raise();
    signal.raise();
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(signal.await(clock, 100)).isFalse();
  }

  @Test
  void givesUpWhenTheTimeIsOver() {
    long before = clock.nanoTime();
    assertThat(signal.await(clock, 100)).isFalse();
    assertThat(clock.nanoTime() - before).isEqualTo(100);
    assertThat(signal.await(clock, 0)).isFalse();
    assertThat(signal.await(clock, -5)).isFalse();
  }

  @Test
  void goesOnWaitingAfterAWakeForNoReason() {
    clock.whileParked.add(() -> clock.advance(30));
    clock.whileParked.add(() -> {});
    clock.whileParked.add(signal::raise);
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(clock.parks()).isEqualTo(3);
  }

  @Test
  void anInterruptEndsTheWaitAndStaysSet() {
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThat(signal.await(clock, 100)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatWasRaisedTooLateServesTheNextWait() {
    assertThat(signal.await(clock, 10)).isFalse();
    signal.raise();
    assertThat(signal.await(clock, 10)).isTrue();
  }

  @Test
  void whoExpectsSeveralIsWokenByTheLast() {
    signal.expect(3);
    signal.raise();
    signal.raise();
    assertThat(signal.await(clock, 10)).isFalse();
    signal.raise();
    assertThat(signal.await(clock, 10)).isTrue();
    signal.raise();
    assertThat(signal.await(clock, 10)).as("only one is wanted again").isTrue();
  }

  @Test
  void aWakeCountsWhateverIsExpected() {
    signal.expect(3);
    signal.wake();
    assertThat(signal.await(clock, 10)).isTrue();
  }
}
