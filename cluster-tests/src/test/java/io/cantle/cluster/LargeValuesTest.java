package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class LargeValuesTest {
  private static final int VALUE_COUNT = 60;
  private static final int VALUE_BYTES = 1 << 20;

  @Test
  void megabyteValuesSurviveMoves() {
    try (TestGrid cluster = new TestGrid(3)) {
      Grid first = cluster.join();
      Cache<Integer, byte[]> cache = first.cache("large", CacheConfig.distributed().segments(16));
      for (int key = 0; key < VALUE_COUNT; key++) {
        cache.put(key, value(key));
      }
      cluster.join();
      Grid third = cluster.join();
      ConditionWait.until(
          "the third to own something", () -> owns(cache, third.nodeName()), () -> cache.owners(0));
      cluster.leave(first);
      Cache<Integer, byte[]> moved = third.cache("large");
      for (int key = 0; key < VALUE_COUNT; key++) {
        assertThat(Arrays.equals(moved.get(key), value(key))).as("value of " + key).isTrue();
      }
    }
  }

  private static boolean owns(Cache<Integer, byte[]> cache, String node) {
    for (int key = 0; key < VALUE_COUNT; key++) {
      if (cache.owners(key).getFirst().equals(node)) {
        return true;
      }
    }
    return false;
  }

  private static byte[] value(int key) {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) key);
    return value;
  }
}
