package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Stamps follow the time of day, and never go back whatever it does. */
final class HybridClockTest {
  private final HandClock clock = new HandClock();
  private final HybridClock stamps = new HybridClock(clock);

  @Test
  void aStampIsTheTimeOfDayInMilliseconds() {
    assertThat(stamps.next() >> 16).isEqualTo(clock.wallMillis());
  }

  @Test
  void stampsOfOneMillisecondCount() {
    long first = stamps.next();
    assertThat(stamps.next()).isEqualTo(first + 1);
    assertThat(stamps.latest()).isEqualTo(first + 1);
  }

  @Test
  void whatIsWrittenAfterSomethingWasHeardOfIsLaterThoughTheClockIsBehind() {
    long ahead = (clock.wallMillis() + 60_000) << 16;
    stamps.observe(ahead);
    assertThat(stamps.latest()).isEqualTo(ahead);
    assertThat(stamps.next()).isEqualTo(ahead + 1);
  }

  @Test
  void whatIsHeardOfAndIsEarlierChangesNothing() {
    long now = stamps.next();
    stamps.observe(now - 5);
    assertThat(stamps.latest()).isEqualTo(now);
  }

  @Test
  void nothingWasSeenAtFirst() {
    assertThat(stamps.latest()).isZero();
  }
}
