package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.FunctionException;
import io.cantle.Grid;
import io.cantle.GridException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests results of streams that are longer than the maximum message. */
final class LongResultsTest {
  private static final int COUNT = 90;
  private static final Grid GRID = Grid.local();
  private static final Cache<Integer, byte[]> CACHE =
      GRID.cache("blocks", CacheConfig.distributed().segments(16));

  @BeforeAll
  static void fill() {
    for (int i = 0; i < COUNT; i++) {
      CACHE.put(i, new byte[1 << 20]);
    }
  }

  @AfterAll
  static void close() {
    GRID.close();
  }

  @Test
  void longResultsAreCollectedInParts() {
    List<byte[]> blocks = CACHE.values().stream().collect(() -> Collectors.toList());
    assertThat(blocks).hasSize(COUNT);
    Map<Integer, byte[]> parallel =
        CACHE.entrySet().stream()
            .parallel()
            .collect(() -> Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    assertThat(parallel).hasSize(COUNT);
  }

  @Test
  void longOrderedPrefixesAreSortedAtTheCaller() {
    List<Integer> first =
        CACHE.entrySet().stream()
            .sorted((left, right) -> right.getKey() - left.getKey())
            .limit(80)
            .map(Map.Entry::getKey)
            .toList();
    assertThat(first).hasSize(80).startsWith(89, 88, 87).endsWith(11, 10);
  }

  @Test
  void resultOfOneEntryBeyondTheLimitIsRefused() {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                CACHE.keySet().stream()
                    .filterKeys(Set.of(7))
                    .map(key -> new byte[66 << 20])
                    .collect(() -> Collectors.toList()))
        .isNotInstanceOf(FunctionException.class)
        .withMessageContaining("67108864 bytes");
  }
}
