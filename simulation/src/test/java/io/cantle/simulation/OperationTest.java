package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class OperationTest {
  @Test
  void findsWhatWasJoined() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 1_000; i++) {
      long before = random.nextBoolean() ? random.nextLong(1L << 40) : random.nextLong();
      long added = random.nextLong(1L << 40);
      long joined = Operation.join(before, added);
      assertThat(Operation.isJoined(joined)).isTrue();
      long[] found = Operation.joinedOf(joined, added);
      assertThat(found).hasSize(2).contains(before);
      assertThat(Operation.join(found[0], added)).isEqualTo(joined);
      assertThat(Operation.join(found[1], added)).isEqualTo(joined);
    }
  }
}
