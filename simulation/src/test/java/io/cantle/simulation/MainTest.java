package io.cantle.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.ToyPeer.Bug;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void printsFiguresAndExitsZeroOnSuccess(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("figures.json");
    assertThat(
            run(
                GridNodeUnderTest::createStarter,
                "--seeds",
                "3",
                "--faults",
                "truthful",
                "--json",
                json.toString()))
        .isZero();
    assertThat(out.toString(UTF_8))
        .contains("seeds: 3\n", "\noperations: ", "crashes: ", "messages overtaken: ")
        .endsWith("violations: 0\n");
    assertThat(Files.readString(json))
        .startsWith("{\n  \"seeds\": 3,\n")
        .endsWith("  \"violations\": 0\n}\n");
    assertThat(errors.toString(UTF_8)).isEmpty();
  }

  @Test
  void printsReplayAndExitsOneOnViolation() {
    int code = run(() -> ToyPeer.starter(Bug.LOSES_WRITES), "--first", "7", "--seeds", "1");
    assertThat(code).isEqualTo(1);
    assertThat(out.toString(UTF_8))
        .contains("violation in seed 7:", "replay: ./cantle simulate --seed 7 --trace")
        .endsWith("violations: 1\n");
  }

  @Test
  void traceShowsEvents() {
    assertThat(run(() -> ToyPeer.starter(Bug.NONE), "--seed", "4", "--trace")).isZero();
    assertThat(out.toString(UTF_8)).contains("Scenario[", " JOIN ", " VIEW ", " RETURN ");
  }

  @Test
  void exitsTwoOnUnknownWords(@TempDir Path folder) {
    assertThat(run(GridNodeUnderTest::createStarter, "--sedes", "3")).isEqualTo(2);
    assertThat(
            run(
                GridNodeUnderTest::createStarter,
                "--json",
                folder.resolve("no/figures.json").toString()))
        .isEqualTo(2);
    assertThat(errors.toString(UTF_8))
        .startsWith("simulate: unknown option --sedes")
        .hasLineCount(2);
    assertThat(out.toString(UTF_8)).isEmpty();
  }

  @Test
  void helps() {
    assertThat(run(GridNodeUnderTest::createStarter, "--help")).isZero();
    assertThat(out.toString(UTF_8)).startsWith("Usage: ./cantle simulate");
  }

  @Test
  void keepsEarlierResultUntilANewOneExists(@TempDir Path folder) throws IOException {
    Path json = Files.writeString(folder.resolve("figures.json"), "earlier");
    assertThat(run(GridNodeUnderTest::createStarter, "--json", json.toString(), "--help")).isZero();
    assertThat(run(GridNodeUnderTest::createStarter, "--json", json.toString(), "--sedes", "3"))
        .isEqualTo(2);
    assertThat(json).hasContent("earlier");
    Supplier<NodeUnderTest.NodeStarter> starter =
        () -> {
          assertThat(json).hasContent("earlier");
          return ToyPeer.starter(Bug.NONE);
        };
    assertThat(run(starter, "--seeds", "1", "--json", json.toString())).isZero();
    assertThat(json).content().contains("\"seeds\": 1");
  }

  @Test
  void reportsUnwritableFileInOneLine(@TempDir Path folder) {
    Path absent = folder.resolve("no");
    refusesFile(absent.resolve("figures.json"), "there is no directory " + absent);
    refusesFile(folder, "it is a directory, not a file");
  }

  @Test
  void exitsOneWhenWritingFails(@TempDir Path folder) {
    // The folder is removed before the seeds have ended.
    Path gone = folder.resolve("gone");
    assertThat(gone.toFile().mkdir()).isTrue();
    Path json = gone.resolve("figures.json");
    Supplier<NodeUnderTest.NodeStarter> starter =
        () -> {
          assertThat(gone.toFile().delete()).isTrue();
          return ToyPeer.starter(Bug.NONE);
        };
    assertThat(run(starter, "--seeds", "1", "--json", json.toString())).isEqualTo(1);
    assertThat(errors.toString(UTF_8))
        .isEqualTo("simulate: cannot write " + json + ": NoSuchFileException\n");
  }

  private void refusesFile(Path json, String why) {
    errors.reset();
    assertThat(run(GridNodeUnderTest::createStarter, "--seeds", "1", "--json", json.toString()))
        .isEqualTo(2);
    assertThat(errors.toString(UTF_8)).isEqualTo("simulate: --json " + json + ": " + why + "\n");
    assertThat(out.toString(UTF_8)).isEmpty();
  }

  private int run(Supplier<NodeUnderTest.NodeStarter> starters, String... words) {
    return new Main(
            starters, new PrintStream(out, true, UTF_8), new PrintStream(errors, true, UTF_8))
        .run(List.of(words));
  }
}
