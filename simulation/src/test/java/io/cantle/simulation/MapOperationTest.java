package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class MapOperationTest {
  @Test
  void recoversJoinedValue() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 1_000; i++) {
      long before = random.nextBoolean() ? random.nextLong(1L << 40) : random.nextLong();
      long added = random.nextLong(1L << 40);
      long joined = MapOperation.joinValues(before, added);
      assertThat(MapOperation.isJoined(joined)).isTrue();
      long[] found = MapOperation.joinWith(joined, added);
      assertThat(found).hasSize(2).contains(before);
      assertThat(MapOperation.joinValues(found[0], added)).isEqualTo(joined);
      assertThat(MapOperation.joinValues(found[1], added)).isEqualTo(joined);
    }
  }
}
