package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Tests the command line of {@code bench pauses}. */
final class PausesCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsItsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--gib", "--seconds", "--json", "Exit code", "free memory");
  }

  @Test
  void refusesWhatIsOutOfRange() {
    assertThat(run("--gib", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--gib 0 is not within 1 to 1000");
    assertThat(run("--seconds", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--seconds 0 is not within 1 to 3600");
  }

  @Test
  void saysHowMuchMemoryItNeeds() {
    assertThat(run("--gib", "1000")).isEqualTo(3);
    assertThat(err.toString()).contains("1,090,048 MiB of memory are needed for --gib 1000");
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "pauses";
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true)).execute(all);
  }
}
