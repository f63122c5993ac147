package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A signal that is raised once or often wakes its waiter once. */
final class SignalTest {
  private final ManualClock clock = new ManualClock();
  private final Signal signal = new Signal();

  @Test
  void awaitReturnsAtOnceIfAlreadyRaised() {
    signal.raise();
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(clock.parkCount()).isZero();
  }

  @Test
  void twoRaisesWakeOneWait() {
    signal.raise();
    signal.raise();
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(signal.await(clock, 100)).isFalse();
  }

  @Test
  void awaitReturnsFalseOnTimeout() {
    long before = clock.nanoTime();
    assertThat(signal.await(clock, 100)).isFalse();
    assertThat(clock.nanoTime() - before).isEqualTo(100);
    assertThat(signal.await(clock, 0)).isFalse();
    assertThat(signal.await(clock, -5)).isFalse();
  }

  @Test
  void spuriousWakeupContinuesTheWait() {
    clock.whileParked.add(() -> clock.advance(30));
    clock.whileParked.add(() -> {});
    clock.whileParked.add(signal::raise);
    assertThat(signal.await(clock, 100)).isTrue();
    assertThat(clock.parkCount()).isEqualTo(3);
  }

  @Test
  void interruptEndsTheWaitAndKeepsTheFlag() {
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThat(signal.await(clock, 100)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void lateRaiseSatisfiesTheNextWait() {
    assertThat(signal.await(clock, 10)).isFalse();
    signal.raise();
    assertThat(signal.await(clock, 10)).isTrue();
  }

  @Test
  void lastExpectedRaiseWakesTheWaiter() {
    signal.expect(3);
    signal.raise();
    signal.raise();
    assertThat(signal.await(clock, 10)).isFalse();
    signal.raise();
    assertThat(signal.await(clock, 10)).isTrue();
    signal.raise();
    assertThat(signal.await(clock, 10)).as("one raise suffices again").isTrue();
  }

  @Test
  void wakeIgnoresTheExpectedCount() {
    signal.expect(3);
    signal.wake();
    assertThat(signal.await(clock, 10)).isTrue();
  }
}
