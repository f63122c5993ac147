package io.cantle.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.cantle.simulation.planted.PlantedBug;
import io.cantle.simulation.planted.PlantedClassPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

final class ScenarioCatalogTest {
  @TempDir private Path folder = Path.of("");

  /** Detects at once a change to a line that a planted bug edits. */
  @TestFactory
  Stream<DynamicTest> everyPlantedBugCompiles() {
    return ScenarioCatalog.all().stream()
        .flatMap(
            scenario ->
                scenario.plantedBugs().stream()
                    .map(
                        bug ->
                            DynamicTest.dynamicTest(
                                scenario.name() + ": " + bug.name(), () -> compile(bug))));
  }

  private void compile(PlantedBug bug) throws Exception {
    Path classes = Files.createTempDirectory(folder, "planted");
    assertThatCode(() -> PlantedClassPath.compile(bug, classes)).doesNotThrowAnyException();
  }
}
