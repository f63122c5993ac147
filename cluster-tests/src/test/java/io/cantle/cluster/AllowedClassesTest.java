package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.Grid;
import io.cantle.chaos.process.CommandOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which classes a node allows that was started with nothing but a name. */
@Timeout(120)
final class AllowedClassesTest {

  @Test
  void classesOfOtherPackagesAndFoldersOfTheApplicationWork() {
    try (Grid grid = Grid.local()) {
      Cache<String, Object> cache = grid.cache("any");
      // Of the folder of the main classes, while this test is in that of the tests.
      CommandOutput ofMain = new CommandOutput(true, "text");
      cache.put("record", ofMain);
      assertThat(cache.get("record")).isEqualTo(ofMain);
      assertThat(cache.values().stream().filter(v -> v instanceof CommandOutput).count()).isOne();
    }
  }

  @Test
  void classOfALibraryMustBeNamed() {
    Object ofLibrary = org.assertj.core.data.Index.atIndex(3);
    try (TestGrid cluster = new TestGrid(2)) {
      Cache<String, Object> strict = cluster.join().cache("any");
      assertThatThrownBy(() -> strict.put("index", ofLibrary))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("org.assertj.core.data.Index is not allowed")
          .hasMessageContaining("add its package \"org.assertj.core.data\" to GridConfig.allowing");
    }
    try (TestGrid cluster = new TestGrid(1)) {
      Cache<String, Object> open =
          cluster.join(config -> config.allowing("org.assertj.core.data")).cache("any");
      open.put("index", ofLibrary);
      assertThat(open.get("index")).isEqualTo(ofLibrary);
    }
  }
}
