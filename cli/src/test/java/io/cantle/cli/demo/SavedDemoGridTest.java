package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.cli.console.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the description of a demo beside the nodes' folders, and the refusals of wrong folders. */
final class SavedDemoGridTest {
  @TempDir Path folder;

  @Test
  void roundTrips() throws Exception {
    SavedDemoGrid kept =
        new SavedDemoGrid("g", 3, 2, folder.resolve("flights.csv").toAbsolutePath(), 42);
    SavedDemoGrid.prepareDirectory(folder);
    kept.write(folder);
    assertThat(SavedDemoGrid.read(folder)).isEqualTo(kept);
    assertThatThrownBy(() -> SavedDemoGrid.prepareDirectory(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--restart");
  }

  @Test
  void namesTheCommandToRunFirst() {
    assertThatThrownBy(() -> SavedDemoGrid.read(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("run ./cantle demo --store " + folder + " first");
  }

  @Test
  void refusesAFolderOfAnUnfinishedRun() throws Exception {
    assertThatCode(() -> SavedDemoGrid.prepareDirectory(folder.resolve("new")))
        .doesNotThrowAnyException();
    Files.createDirectories(SavedDemoGrid.nodeDirectory(folder, 1));
    assertThatThrownBy(() -> SavedDemoGrid.prepareDirectory(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("delete it");
  }

  @Test
  void namesWhatCannotBeRead() throws Exception {
    Files.writeString(folder.resolve("demo.properties"), "nodes=many");
    assertThatThrownBy(() -> SavedDemoGrid.read(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("demo.properties");
  }
}
