package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.function.SerializableBiFunction;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a function which does not run at the primary is logged once for each call site. */
final class CallerRunAdviceTest {
  private static final Logger LOGGER = Logger.getLogger("io.cantle.core.node.CallerRunAdvice");

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          lines.add(entry.getLevel() + " " + entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(handler);
  }

  @Test
  void captureThatCannotBeSentIsNamedOnce() {
    try (TestGrid grid = TestGrid.ofSize(1)) {
      Cache<String, Integer> cache = grid.nodes().getFirst().cache("counts");
      Thread thread = Thread.currentThread();
      for (int i = 0; i < 3; i++) {
        cache.merge("a", 1, (left, right) -> left + right + (thread.isAlive() ? 0 : 1));
      }
      assertThat(cache.get("a")).isEqualTo(3);
    }
    assertThat(lines)
        .singleElement()
        .asString()
        .startsWith("INFO ")
        .contains("cache \"counts\"", "variable \"thread\"", "java.lang.Thread", "at the primary")
        .containsPattern("\\(at .*CallerRunAdviceTest\\.java:\\d+\\)");
  }

  @Test
  void nothingIsSaidWhereThereIsNoOtherNode() {
    BiFunction<String, Integer, Integer> plain = (key, value) -> 1;
    try (Grid grid = Grid.local()) {
      Cache<String, Integer> cache = grid.cache("counts");
      Thread thread = Thread.currentThread();
      cache.merge("a", 1, (left, right) -> left + right + (thread.isAlive() ? 0 : 1));
      cache.compute("a", plain);
    }
    try (TestGrid grid = TestGrid.ofSize(1)) {
      Cache<String, Integer> cache = grid.nodes().getFirst().cache("here", CacheConfig.local());
      cache.compute("a", plain);
    }
    assertThat(lines).isEmpty();
  }

  @Test
  void functionOfTwoCallSitesIsNamedForBoth() {
    try (TestGrid grid = TestGrid.ofSize(1)) {
      Cache<String, Integer> cache = grid.nodes().getFirst().cache("counts");
      BiFunction<String, Integer, Integer> plain = (key, value) -> 1;
      Function<String, Integer> loader = key -> 1;
      for (int i = 0; i < 3; i++) {
        cache.compute("a", plain);
        cache.compute("b", plain);
        cache.computeIfAbsent("c" + i, loader);
      }
      // Here the function does not run.
      cache.computeIfAbsent("a", loader);
    }
    assertThat(lines).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void plainFunctionIsNamedOnceForEachCallSite() {
    try (TestGrid grid = TestGrid.ofSize(1)) {
      Cache<String, Integer> cache = grid.nodes().getFirst().cache("counts");
      BiFunction<String, Integer, Integer> plain = (key, value) -> 1;
      BiFunction<String, Integer, Integer> another = (key, value) -> 2;
      for (int i = 0; i < 3; i++) {
        cache.compute("a", plain);
        cache.computeIfPresent("a", another);
      }
      SerializableBiFunction<String, Integer, Integer> mended = (key, value) -> 1;
      cache.compute("a", mended);
      cache.compute("a", (key, value) -> 1);
    }
    assertThat(lines)
        .hasSize(2)
        .allMatch(line -> line.contains("plain type of java.util.function"));
  }
}
