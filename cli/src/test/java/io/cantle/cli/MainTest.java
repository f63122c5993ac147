package io.cantle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private final PrintStream systemOut = System.out;
  private final PrintStream systemErrors = System.err;

  @BeforeEach
  void listen() {
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void listenNoMore() {
    System.setOut(systemOut);
    System.setErr(systemErrors);
  }

  @Test
  void explainsEveryOption() {
    assertThat(Main.run("demo", "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("--nodes=N", "--owners=K", "--port=P", "--data=FILE", "--no-kill", "--json=FILE");
    assertThat(errors.size()).isZero();
  }

  @Test
  void offersEachWord() {
    assertThat(Main.run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("new", "demo", "drain", "log");
  }

  @Test
  void reportsImpossibleInputInOneLine() {
    says("cantle new: Missing required parameter: 'DIR'", "new");
    says("cantle log: which command? inspect DIR or verify DIR", "log");
    says("cantle log verify: Missing required parameter: 'DIR'", "log", "verify");
    says("cantle demo: Invalid value for option '--nodes': 'x' is not an int", "demo", "--nodes=x");
    says("cantle demo: Unknown option: '--moon'", "demo", "--moon");
    says(
        "cantle demo: cannot read /data/nonexistent: there is no such file",
        "demo",
        "--data",
        "/data/nonexistent");
    says("cantle demo: --owners 1 needs --no-kill", "demo", "--owners", "1");
    says("cantle: which command?");
    says("cantle: Unmatched argument", "dance");
    assertThat(out.size()).isZero();
  }

  private void says(String line, String... words) {
    errors.reset();
    assertThat(Main.run(words)).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8)).startsWith(line).hasLineCount(1);
  }
}
