package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheCollectors;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a line of code whose stream brings every element here is named in the log once. */
@Timeout(60)
final class StreamAdviceTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /** Held here, because the JDK holds loggers weakly. */
  private final Logger logger = Logger.getLogger("io.cantle.core.stream.LocalRunAdvice");

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
  }

  private static void fill(Cache<Integer, Integer> cache) {
    cache.putAll(IntStream.range(0, 100).boxed().collect(Collectors.toMap(i -> i, i -> i % 7)));
  }

  @Test
  void namesEachLineOnce() {
    try (TestGrid cluster = TestGrid.ofSize(3)) {
      Cache<Integer, Integer> cache =
          cluster.node(0).cache("numbers", CacheConfig.distributed().owners(1));
      fill(cache);
      for (int i = 0; i < 3; i++) {
        assertThat(cache.values().stream().collect(Collectors.counting())).isEqualTo(100);
        assertThat(
                cache.values().stream()
                    .sorted(Comparator.comparingInt(number -> -number))
                    .limit(1)
                    .toList())
            .containsExactly(6);
        assertThat(cache.values().stream().collect(CacheCollectors.counting())).isEqualTo(100);
        assertThat(cache.values().stream().collect(Collectors.toList())).hasSize(100);
      }

      assertThat(lines).hasSize(2).allMatch(line -> line.contains("StreamAdviceTest.java:"));
      assertThat(lines.getFirst()).contains("CacheCollectors.counting");
      assertThat(lines.getLast()).contains("SerializableComparator.comparing");
    }
  }

  @Test
  void saysNothingOnANodeThatHasEverything() {
    try (Grid grid = Grid.local()) {
      Cache<Integer, Integer> cache = grid.cache("numbers");
      fill(cache);

      assertThat(cache.values().stream().collect(Collectors.counting())).isEqualTo(100);
      assertThat(lines).isEmpty();
    }
  }
}
