package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the whole command on loopback, where no root is needed: processes are killed and paused.
 */
@Timeout(300)
final class LoopbackRunTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void runWithKillsAndPausesHasNoViolations() {
    Path history = folder.resolve("history");
    int status =
        Main.run(
            "--loopback",
            "--minutes",
            "0.3",
            "--nodes",
            "3",
            "--owners",
            "2",
            "--rate",
            "500",
            "--seed",
            "11",
            "--faults",
            "KILL_AND_RESTART_AT_ONCE,KILL_AND_RESTART_LATER,PAUSE",
            // Long enough for the others to go on without it.
            "--longest-pause",
            "6",
            "--history",
            history.toString());
    assertThat(status).isZero();
    assertThat(history.resolve(FaultLog.FILE_NAME)).content().contains("PAUSE", "KILL_AND_RESTART");
    assertThat(Main.run("--check", history.toString())).isZero();
  }

  @Test
  void iterationsAreCompleteThoughHeapsCannotHoldAllOfThem() throws IOException {
    Path history = folder.resolve("history");
    int status =
        Main.run(
            "--loopback",
            "--minutes",
            "0.2",
            "--nodes",
            "3",
            "--owners",
            "2",
            "--rate",
            "300",
            "--scans",
            "40",
            "--seed",
            "12",
            "--faults",
            "KILL_AND_RESTART_AT_ONCE",
            "--history",
            history.toString());
    assertThat(status).isZero();
    assertThat(ChaosHistory.read(history).iterations())
        .anyMatch(walk -> walk.client().contains("scan"))
        .hasSizeGreaterThan(40);
  }
}
