package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.chaos.process.ChaosException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void helps() {
    assertThat(Main.run("--help")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--nodes=2",
        "--owners=9",
        "--owners=1",
        "--minutes=0",
        "--minutes=500",
        "--faults=EARTHQUAKE",
        "--rate=0",
        "--scans=-1",
        "--scans=1001",
        "--longest-pause=0",
        "--longest-pause=21",
        "--json=nowhere/chaos.json",
        "--history=/dev/null/nowhere",
        "--faults=HALVES",
        "--nonsense",
        "--scenario=earthquake",
        "--plant=nothing",
        "--check=nowhere",
        "--porcupine=nowhere"
      })
  void refusesBadInput(String word) {
    assertThat(Main.run("--loopback", word)).isEqualTo(ChaosException.BAD_INPUT_STATUS);
  }

  @Test
  void reportsThatItNeedsRoot() {
    String user = System.getProperty("user.name");
    try {
      System.setProperty("user.name", "somebody");
      assertThat(Main.run("--minutes", "1")).isEqualTo(ChaosException.LACKING_STATUS);
    } finally {
      System.setProperty("user.name", user);
    }
  }

  @Test
  void refusesToMixHistories() throws IOException {
    Files.writeString(folder.resolve("old.jsonl"), "");
    assertThat(Main.run("--loopback", "--history", folder.toString()))
        .isEqualTo(ChaosException.BAD_INPUT_STATUS);
  }
}
