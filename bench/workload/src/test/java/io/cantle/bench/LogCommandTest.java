package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.bench.log.LogVariant;
import io.cantle.bench.log.WriteMode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class LogCommandTest {
  private static final Path MEMORY = Path.of("/dev/shm");

  @TempDir private Path folder = Path.of("");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsItsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--writers", "--seconds", "--seed-table", "--sync-delay-millis", "--dir");
  }

  @Test
  void refusesNumbersOutOfRange() {
    assertRefused("--writers 0 is not within 1 to 1000", "--writers", "20,0");
    assertRefused("--seconds 0 is not within 1 to 600", "--seconds", "0");
    assertRefused("--rounds 101 is not within 1 to 100", "--rounds", "101");
    assertRefused("--sync-delay-millis -1 is not", "--sync-delay-millis", "-1");
    assertRefused("many", "--writers", "many");
  }

  @Test
  void refusesImpossibleMeasurements() {
    assertRefused("`lmdb` is none of [simple, waiting,", "--logs", "lmdb");
    assertRefused(
        "the syncs of rocksdb cannot be delayed", "--logs=simple,rocksdb", "--sync-delay-millis=2");
    assertRefused("--unsynced leaves no sync", "--unsynced", "--sync-delay-millis", "2");
  }

  @Test
  void refusesFoldersAndFilesItCannotWrite() {
    assertRefused("is not a folder that can be written", "--dir", folder + "/absent");
    assertRefused("is not a file that can be written", "--json", folder.toString());
  }

  @Test
  @EnabledIf("hasMemoryFileSystem")
  void refusesSyncsInMemory() {
    assertRefused("is on tmpfs, where a sync does nothing", "--dir", MEMORY.toString());
  }

  static boolean hasMemoryFileSystem() throws Exception {
    return Files.isDirectory(MEMORY) && RecordFolder.fileSystem(MEMORY).equals("tmpfs");
  }

  @Test
  void measuresATinyRunAndLeavesNothing() throws Exception {
    Path records = Files.createDirectory(folder.resolve("records"));
    Path json = folder.resolve("log.json");
    assertThat(
            run(
                "--logs=raw",
                "--writers=3",
                "--seconds=1",
                "--rounds=1",
                // Works also where the folder of the test is in memory.
                "--unsynced",
                "--dir=" + records,
                "--json=" + json))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().lines())
        .anyMatch(line -> line.startsWith("round 1 of 1, 1 writer, raw: "))
        .anyMatch(line -> line.contains("raw, 4 KiB at once"))
        .contains("json: " + json, "rounds: 1", "figures: 2", "failures: 0");
    assertThat(json)
        .content()
        .contains("\"failures\": 0", "\"table\": [", "\"log\": \"raw\"", "\"machine\": {");
    assertThat(records).isEmptyDirectory();
  }

  @Test
  void countsUnmeasurableLogAsFailure() throws Exception {
    LogPlan plan = LogPlan.of(List.of(1), EnumSet.of(LogVariant.ROCKSDB), 1, false, false);
    Path logs = Files.createDirectory(folder.resolve("logs"));
    var said = new PrintWriter(out, true);
    var complained = new PrintWriter(err, true);
    try (var records = new RecordFolder(folder);
        var run = new LogRun(plan, records, logs, said, complained)) {
      // Its driver refuses a delay, and where it is not built there is no driver.
      run.start(true, 1);
      run.round(1, 1, null, WriteMode.PREALLOCATED);
      assertThat(run.failures()).isPositive();
      assertThat(run.measuredCount()).isZero();
      assertThat(run.rows()).isEmpty();
    }
    assertThat(err.toString()).contains("starting rocksdb: ", logs.toString());
    assertThat(folder).isDirectoryNotContaining(file -> !file.equals(logs));
  }

  private void assertRefused(String message, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString()).startsWith("cantle bench log").contains(message);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "log";
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(all);
  }
}
