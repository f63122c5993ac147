package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Timestamps follow the time of day, and never go back even if it does. */
final class HybridLogicalClockTest {
  private final ManualClock clock = new ManualClock();
  private final HybridLogicalClock stampClock = new HybridLogicalClock(clock);

  @Test
  void aStampIsTheTimeOfDayInMilliseconds() {
    assertThat(stampClock.next() >> 16).isEqualTo(clock.wallMillis());
  }

  @Test
  void stampsWithinOneMillisecondIncrease() {
    long first = stampClock.next();
    assertThat(stampClock.next()).isEqualTo(first + 1);
    assertThat(stampClock.latest()).isEqualTo(first + 1);
  }

  @Test
  void nextStampExceedsObservedStampEvenIfClockIsBehind() {
    long ahead = (clock.wallMillis() + 60_000) << 16;
    stampClock.observe(ahead);
    assertThat(stampClock.latest()).isEqualTo(ahead);
    assertThat(stampClock.next()).isEqualTo(ahead + 1);
  }

  @Test
  void observingAnEarlierStampChangesNothing() {
    long now = stampClock.next();
    stampClock.observe(now - 5);
    assertThat(stampClock.latest()).isEqualTo(now);
  }

  @Test
  void latestStampIsZeroAtFirst() {
    assertThat(stampClock.latest()).isZero();
  }
}
