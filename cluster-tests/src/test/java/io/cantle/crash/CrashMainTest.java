package io.cantle.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class CrashMainTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void helps() {
    assertThat(Main.run("--help")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--cuts=-1",
        "--kills=1000000",
        "--errors=x",
        "--filesystems=btrfs",
        "--simulated=0",
        "--json=nowhere/cuts.json",
        "--nonsense"
      })
  void refusesBadInput(String word) {
    assertThat(Main.run(word)).isEqualTo(2);
  }

  @Test
  void killsWritersAndInjectsErrors() throws Exception {
    Path json = folder.resolve("crash.json");

    assertThat(Main.run("--cuts=0", "--kills=4", "--errors=2", "--json=" + json)).isZero();

    assertThat(Files.readString(json))
        .contains("\"kills\": 4", "\"lost\": 0", "\"torn\": 0", "\"acked\": ")
        .doesNotContain("\"acked\": 0");
  }

  @Test
  void findsAWriterThatAcknowledgesBeforeSyncing() {
    // 3 where the machine has no root, no images or no mkfs.
    assertThat(Main.run("--planted", "--filesystems=ext4")).isIn(0, 3);
  }

  @Test
  void crashesLogsAndStoresOnASimulatedDisk() throws Exception {
    Path json = folder.resolve("simulated.json");

    assertThat(Main.run("--simulated=500", "--seed=7", "--json=" + json)).isZero();

    assertThat(Files.readString(json)).contains("\"violations\": 0", "\"seed\": 7");
  }
}
