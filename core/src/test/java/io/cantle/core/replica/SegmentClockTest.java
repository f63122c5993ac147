package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A follower's clock, as the primary's writes set it. */
final class SegmentClockTest {
  private final ManualClock clock = new ManualClock();
  private final SegmentClock segmentClock = new SegmentClock(clock);

  @Test
  void followerIsNotAheadOfAPrimaryWhoseMachineWasSuspended() {
    segmentClock.followPrimary(1, 1_000);
    clock.advance(Duration.ofSeconds(7).toNanos());

    assertThat(segmentClock.readMillis()).isEqualTo(8_000);

    segmentClock.followPrimary(1, 1_100);

    assertThat(segmentClock.readMillis()).isEqualTo(1_100);
  }

  @Test
  void lateMessageDoesNotSetBackTheLatestPossibleTimeExceptByDrift() {
    segmentClock.followPrimary(1, 1_000);
    clock.advance(Duration.ofMillis(6_400).toNanos());
    segmentClock.followPrimary(1, 1_100);

    assertThat(segmentClock.readMillis()).isEqualTo(1_100);
    assertThat(segmentClock.maxMillis()).isEqualTo(7_300);

    segmentClock.becomeAuthority();

    assertThat(segmentClock.maxMillis()).isEqualTo(1_100);
  }

  @Test
  void writeOfAnEarlierEpochSetsTheClockBackOnlyByDrift() {
    segmentClock.followPrimary(2, 1_000);
    clock.advance(Duration.ofMillis(640).toNanos());
    segmentClock.followPrimary(1, 500);

    assertThat(segmentClock.readMillis()).isEqualTo(1_630);
  }
}
