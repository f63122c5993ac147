package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What was acknowledged, replaced by nobody and is not there must have been counted. */
final class SharedKeysTest {
  private final SharedKeys keys = new SharedKeys();

  private void write(long value, long before) {
    keys.began(1, value);
    keys.done(1, value, before);
  }

  @Test
  void whatIsThereOrWasReplacedIsNotMissing() {
    write(10, Operation.ABSENT);
    write(11, 10);
    keys.found(1, 11);
    assertThat(keys.missing()).isZero();
  }

  @Test
  void theLastWriteOfTheOtherSideIsMissing() {
    write(10, Operation.ABSENT);
    write(11, 10);
    write(12, 10);
    keys.found(1, 12);
    assertThat(keys.missing()).isEqualTo(1);
  }

  @Test
  void aWriteOfUnknownFateMayHaveReplacedOne() {
    write(10, Operation.ABSENT);
    keys.began(1, 11);
    keys.found(1, 11);
    assertThat(keys.missing()).isZero();
  }
}
