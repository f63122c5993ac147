package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsItsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains(
            "--rounds",
            "--json",
            "sorted_limit_ratio",
            "to_map_to_iterate_ratio",
            "6 GiB",
            "Exit code");
  }

  @Test
  void refusesRoundsOutOfRange() {
    assertRefused("--rounds 0 is not within 1 to 100", "--rounds", "0");
    assertRefused("--rounds 101 is not within 1 to 100", "--rounds=101");
    assertRefused("many", "--rounds", "many");
    assertRefused("now", "now");
  }

  @Test
  void refusesAFileItCannotWriteBeforeItMeasures(@TempDir Path folder) {
    String absent = folder.resolve("absent").resolve("streams.json").toString();
    assertRefused("is not in a folder that can be written", "--json", absent);
  }

  private void assertRefused(String message, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString()).startsWith("cantle bench streams: ").contains(message);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "streams";
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(all);
  }
}
