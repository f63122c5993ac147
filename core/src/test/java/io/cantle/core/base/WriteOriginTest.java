package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A timestamp keeps its time when an origin is encoded in it, and carries only the latest origin.
 */
final class WriteOriginTest {
  /** The year 4000. */
  private static final long FAR = 64_060_588_800_000L << 16;

  @ParameterizedTest
  @EnumSource
  void markedStampYieldsStampAndOrigin(WriteOrigin origin) {
    for (long stamp : new long[] {1, 1L << 57, FAR}) {
      assertThat(WriteOrigin.of(origin.markStamp(stamp))).isEqualTo(origin);
      assertThat(WriteOrigin.unmarkStamp(origin.markStamp(stamp))).isEqualTo(stamp);
    }
  }

  @ParameterizedTest
  @EnumSource
  void markingAgainReplacesTheOrigin(WriteOrigin origin) {
    for (WriteOrigin before : WriteOrigin.values()) {
      assertThat(origin.markStamp(before.markStamp(FAR))).isEqualTo(origin.markStamp(FAR));
    }
  }
}
