package io.cantle.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that nodes of this build and of the next one work together, in each kind of scenario. */
final class MixedVersionsTest {
  private static final PlantingWorkspace WORKSPACE = new PlantingWorkspace(SourceTree.findRoot());

  @BeforeAll
  static void compileNextVersion() {
    WORKSPACE.compileBug(NextVersion.alone());
  }

  @AfterAll
  static void close() {
    WORKSPACE.close();
  }

  @Test
  void usualScenariosHaveNoViolation(@TempDir Path folder) throws Exception {
    play(folder, List.of());
  }

  @ParameterizedTest
  @CsvSource({"--mode, durable", "--mode, available", "--workload, streams"})
  void otherScenariosHaveNoViolation(String option, String word, @TempDir Path folder)
      throws Exception {
    play(folder, List.of(option, word));
  }

  private static void play(Path folder, List<String> scenario) throws Exception {
    List<String> words = new ArrayList<>(List.of("--versions", "mixed", "--seeds", "10"));
    words.addAll(scenario);
    Path output = folder.resolve("output.txt");
    Process process = WORKSPACE.start(NextVersion.alone(), words, Redirect.to(output.toFile()));
    int status = process.waitFor();
    String printed = Files.readString(output);
    assertThat(printed)
        .contains("violations: 0")
        .containsPattern("messages of the next version: [1-9]");
    assertThat(status).as(printed).isZero();
  }
}
