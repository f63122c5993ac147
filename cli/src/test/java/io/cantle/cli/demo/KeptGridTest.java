package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.cli.console.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept beside the nodes' folders, and what is said where it is not as it should be. */
final class KeptGridTest {
  @TempDir Path folder;

  @Test
  void isReadAsItWasWritten() throws Exception {
    KeptGrid kept = new KeptGrid("g", 3, 2, folder.resolve("flights.csv").toAbsolutePath(), 42);
    KeptGrid.prepare(folder);
    kept.write(folder);
    assertThat(KeptGrid.read(folder)).isEqualTo(kept);
    assertThatThrownBy(() -> KeptGrid.prepare(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--restart");
  }

  @Test
  void saysWhatToRunFirst() {
    assertThatThrownBy(() -> KeptGrid.read(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("run ./cantle demo --store " + folder + " first");
  }

  @Test
  void doesNotBeginWhereAnotherDidNotComeToItsEnd() throws Exception {
    assertThatCode(() -> KeptGrid.prepare(folder.resolve("new"))).doesNotThrowAnyException();
    Files.createDirectories(KeptGrid.of(folder, 1));
    assertThatThrownBy(() -> KeptGrid.prepare(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("delete it");
  }

  @Test
  void saysWhatCannotBeRead() throws Exception {
    Files.writeString(folder.resolve("demo.properties"), "nodes=many");
    assertThatThrownBy(() -> KeptGrid.read(folder))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("demo.properties");
  }
}
