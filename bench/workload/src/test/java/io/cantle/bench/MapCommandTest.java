package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the options of the commands that compare maps. */
final class MapCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"local", "container"})
  void showsItsHelp(String command) {
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString()).contains("--rounds", "--millis", "--json", "95 %", "Exit code");
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "container"})
  void refusesWhatIsOutOfRange(String command, @TempDir Path folder) {
    assertRefused(command, "--rounds 2 is not within 3 to 100", "--rounds", "2");
    assertRefused(command, "--millis 9 is not within 10 to 60000", "--millis=9");
    assertRefused(command, "now", "now");
    String absent = folder.resolve("absent").resolve("out.json").toString();
    assertRefused(command, "is not in a folder that can be written", "--json", absent);
  }

  private void assertRefused(String command, String message, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(command, args)).isEqualTo(2);
    assertThat(err.toString()).startsWith("cantle bench " + command + ": ").contains(message);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  private int run(String command, String... args) {
    String[] all = new String[args.length + 1];
    all[0] = command;
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(all);
  }
}
