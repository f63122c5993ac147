package io.cantle.cli.recover;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.cli.console.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests what the command prints and does with folders. */
final class RecoverCommandTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path folder = Path.of("");

  private int run(String... words) {
    said.reset();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    return new CommandLine(new RecoverCommand(out, out)).execute(words);
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aFolderWithoutANodeIsSaidToBeNone() {
    assertThat(run("--store", folder.toString(), "--give-up", "b")).isEqualTo(1);
    assertThat(said()).contains("there is no store of a node in " + folder);
  }

  @Test
  void withoutNamesNothingIsChangedAndTheMembersAreShown() throws Exception {
    int port = FreePorts.find(1).getFirst();
    GridConfig config =
        GridConfig.named("recover")
            .ports(port, 0)
            .nodeName("one")
            .store(folder.resolve("one"))
            .leaveTimeout(Duration.ZERO)
            .timeout(Duration.ofSeconds(10));
    try (Grid grid = Grid.join(config)) {
      grid.cache("kept", CacheConfig.distributed().segments(4).durability(Durability.SYNC))
          .put("a", 1);
      assertThat(run("--store", folder.resolve("one").toString())).isEqualTo(1);
      assertThat(said()).contains("in use");
    }
    assertThat(run("--store", folder.resolve("one").toString())).isEqualTo(2);
    assertThat(said())
        .contains("node: one", "voters: one", "recovered: false", "--give-up")
        .containsPattern("topology: [1-9]");
    assertThat(run("--store", folder.resolve("one").toString(), "--give-up", "two")).isEqualTo(2);
    assertThat(said()).contains("\"two\" is no member of the grid: those are one");
    assertThat(run("--store", folder.resolve("one").toString(), "--restored")).isEqualTo(0);
    assertThat(said()).contains("restored: true");
  }
}
