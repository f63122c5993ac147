package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A timestamp keeps its time when a provenance is encoded in it, and carries only the latest
 * provenance.
 */
final class WriteProvenanceTest {
  /** The year 4000. */
  private static final long FAR = 64_060_588_800_000L << 16;

  @ParameterizedTest
  @EnumSource
  void markedStampYieldsStampAndProvenance(WriteProvenance provenance) {
    for (long stamp : new long[] {1, 1L << 57, FAR}) {
      assertThat(WriteProvenance.of(provenance.markStamp(stamp))).isEqualTo(provenance);
      assertThat(WriteProvenance.unmarkStamp(provenance.markStamp(stamp))).isEqualTo(stamp);
    }
  }

  @ParameterizedTest
  @EnumSource
  void markingAgainReplacesTheProvenance(WriteProvenance provenance) {
    for (WriteProvenance before : WriteProvenance.values()) {
      assertThat(provenance.markStamp(before.markStamp(FAR))).isEqualTo(provenance.markStamp(FAR));
    }
  }
}
