package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An acknowledged value that was not replaced and is not there must have been counted as lost. */
final class LostUpdateCheckerTest {
  private final LostUpdateChecker keys = new LostUpdateChecker();

  private void write(long value, long before) {
    keys.recordAttempt(1, value);
    keys.recordAcknowledged(1, value, before);
  }

  @Test
  void presentOrReplacedValueIsNotMissing() {
    write(10, MapOperation.ABSENT);
    write(11, 10);
    keys.recordFound(1, 11);
    assertThat(keys.missingValues()).isZero();
  }

  @Test
  void lastWriteOfTheOtherSideIsMissing() {
    write(10, MapOperation.ABSENT);
    write(11, 10);
    write(12, 10);
    keys.recordFound(1, 12);
    assertThat(keys.missingValues()).isEqualTo(1);
  }

  @Test
  void uncertainWriteMayHaveReplacedAValue() {
    write(10, MapOperation.ABSENT);
    keys.recordAttempt(1, 11);
    keys.recordFound(1, 11);
    assertThat(keys.missingValues()).isZero();
  }
}
