package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run leaves behind. */
final class PremisesTest {
  @TempDir private Path history = Path.of("");

  @Test
  void nothingIsLeftOfRunThatWasClean() throws IOException {
    Path folder;
    try (Premises premises = new Premises(new Loopback(), null)) {
      folder = premises.folder();
      Files.writeString(folder.resolve("node-0-0.jsonl"), "{}");
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void whatShowsFailureIsKept() throws IOException {
    Path folder;
    try (Premises premises = new Premises(new Loopback(), null)) {
      folder = premises.folder();
      premises.keep();
    }
    assertThat(folder).isEmptyDirectory();
    Files.delete(folder);
  }

  @Test
  void whatWasAskedForIsKept() throws IOException {
    Path wanted = history.resolve("of").resolve("today");
    try (Premises premises = new Premises(new Loopback(), wanted)) {
      assertThat(premises.isKept()).isTrue();
    }
    assertThat(wanted).isEmptyDirectory();
  }
}
