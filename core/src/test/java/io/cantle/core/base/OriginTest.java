package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stamp keeps its time whatever is said of how it came, and says only the last of it. */
final class OriginTest {
  /** The year is 4000. */
  private static final long FAR = 64_060_588_800_000L << 16;

  @ParameterizedTest
  @EnumSource
  void aMarkedStampTellsBoth(Origin origin) {
    for (long stamp : new long[] {1, 1L << 57, FAR}) {
      assertThat(Origin.of(origin.mark(stamp))).isEqualTo(origin);
      assertThat(Origin.stamp(origin.mark(stamp))).isEqualTo(stamp);
    }
  }

  @ParameterizedTest
  @EnumSource
  void markedAgainItTellsTheLast(Origin origin) {
    for (Origin before : Origin.values()) {
      assertThat(origin.mark(before.mark(FAR))).isEqualTo(origin.mark(FAR));
    }
  }
}
