package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a run leaves behind. */
final class ChaosResourcesTest {
  @TempDir private Path history = Path.of("");

  @Test
  void cleanRunLeavesNothing() throws IOException {
    Path folder;
    try (ChaosResources resources = new ChaosResources(new LoopbackNetwork(), null)) {
      folder = resources.folder();
      Files.writeString(folder.resolve("node-0-0.jsonl"), "{}");
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void filesOfAFailureAreKept() throws IOException {
    Path folder;
    try (ChaosResources resources = new ChaosResources(new LoopbackNetwork(), null)) {
      folder = resources.folder();
      resources.keepFolder();
    }
    assertThat(folder).isEmptyDirectory();
    Files.delete(folder);
  }

  @Test
  void requestedFilesAreKept() throws IOException {
    Path wanted = history.resolve("of").resolve("today");
    try (ChaosResources resources = new ChaosResources(new LoopbackNetwork(), wanted)) {
      assertThat(resources.isKept()).isTrue();
    }
    assertThat(wanted).isEmptyDirectory();
  }
}
