package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsItsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--rounds", "--millis", "--json", "95 %", "Exit code");
  }

  @Test
  void refusesWhatIsOutOfRange(@TempDir Path folder) {
    assertRefused("--rounds 2 is not within 3 to 100", "--rounds", "2");
    assertRefused("--millis 9 is not within 10 to 60000", "--millis=9");
    assertRefused("now", "now");
    String absent = folder.resolve("absent").resolve("local.json").toString();
    assertRefused("is not in a folder that can be written", "--json", absent);
  }

  private void assertRefused(String message, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString()).startsWith("cantle bench local: ").contains(message);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "local";
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(all);
  }
}
