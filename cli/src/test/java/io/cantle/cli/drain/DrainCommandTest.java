package io.cantle.cli.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the drain of a small cache on real nodes, and what failed runs print. */
@Timeout(120)
final class DrainCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @TempDir private Path folder = Path.of("");

  private int run(String... words) {
    return new CommandLine(
            new DrainCommand(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8)))
        .execute(words);
  }

  @Test
  void slowSubscriberBuffersAtMostTwiceTheBudget() throws Exception {
    Path json = folder.resolve("result.json");

    int status = run("--mebibytes", "16", "--seconds", "2", "--json", json.toString());

    assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(status).isZero();
    Map<String, Long> figures = figures();
    assertThat(figures)
        .containsEntry("nodes", 3L)
        .containsEntry("entries", 4_096L)
        .containsEntry("cacheBytes", 16L << 20)
        .containsEntry("seen", 4_096L)
        .containsEntry("duplicates", 0L);
    assertThat(figures.get("originMostBytes")).isBetween(1L, 2L << 20);
    assertThat(figures.get("ownerMostBytes")).isZero();
    assertThat(figures.get("heapGrowthBytes")).isLessThanOrEqualTo(6L << 20);
    assertThat(Files.readString(json))
        .contains("\"heapBytes\": " + figures.get("heapBytes"), "\"seconds\": ");
  }

  private Map<String, Long> figures() {
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split(": ", -1))
        .filter(parts -> parts.length == 2 && parts[1].matches("-?\\d+"))
        .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1])));
  }

  @Test
  void moreThanTwiceTheBudgetFails() {
    DrainResult result = new DrainResult(3, 10, 40, 100, 10, 0, 1, 200, 200, 4, 4, 1_000, 600);
    assertThat(result.failures()).isEmpty();
    assertThat(new DrainResult(3, 10, 40, 100, 9, 1, 1, 201, 202, 4, 4, 1_000, 603).failures())
        .hasSize(4)
        .anyMatch(failure -> failure.contains("of 10 entries 9 arrived, and 1 of them again"))
        .anyMatch(failure -> failure.contains("201 bytes"))
        .anyMatch(failure -> failure.contains("202 bytes"))
        .anyMatch(failure -> failure.contains("603 bytes"));
  }

  @Test
  void reportsImpossibleInput() {
    says("--mebibytes 0 is not within 1 to 65536", "--mebibytes", "0");
    says("--seconds 3601 is not within 1 to 3600", "--seconds", "3601");
    says("--mebibytes 65536 needs a heap of 98432 MiB", "--mebibytes", "65536");
    says("--json " + folder + " is a directory", "--json", folder.toString());
  }

  private void says(String text, String... words) {
    errors.reset();
    assertThat(run(words)).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .startsWith("cantle drain: " + text)
        .hasLineCount(1);
  }
}
