package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the demo as a user runs it, including the kill, on a sample of the rows of the flights that
 * come with the sources. The expected results are counted here from the text of the rows.
 */
@Timeout(180)
final class DemoTest {
  /** Leaves about 3,000 rows, of all hours. */
  private static final int SAMPLE_INTERVAL_ROWS = 112;

  private static final int DEPARTURE_DELAY_COLUMN = 4;

  @TempDir private Path folder = Path.of("");

  @Test
  void demoFindsAllRowsDespiteAKilledNode() throws Exception {
    List<String> lines = sampleFile();
    List<String> rows = lines.subList(1, lines.size());
    Path data = Files.write(folder.resolve("flights.csv"), lines);
    Path json = folder.resolve("result.json");
    Path temporary = Files.createDirectory(folder.resolve("temporary"));

    run(temporary, "demo", "--nodes", "3", "--data", data.toString(), "--json", json.toString());

    String result = Files.readString(json);
    String size = Integer.toString(rows.size());
    assertThat(number(result, "nodes")).isEqualTo(3);
    assertThat(number(result, "owners")).isEqualTo(2);
    assertThat(number(result, "malformed")).isZero();
    assertThat(rows).hasSizeGreaterThan(3_000);
    assertThat(number(result, "entries")).isEqualTo(rows.size());
    assertThat(number(result, "cancelled")).isEqualTo(count(rows, String::isEmpty));
    assertThat(number(result, "delayed"))
        .isEqualTo(count(rows, delay -> !delay.isEmpty() && Integer.parseInt(delay) > 0));
    assertThat(number(result, "expected")).isEqualTo(rows.size());
    assertThat(values(result, "seen")).containsExactly(size, size);
    assertThat(values(result, "duplicates")).containsExactly("0", "0");
    assertThat(number(result, "maxBufferedBytes")).isBetween(1L, 2L << 20);
    assertThat(values(result, "route")).hasSize(10).doesNotHaveDuplicates();
    assertThat(number(result, "missing")).isZero();
    assertThat(number(result, "unexpected")).isZero();
    assertThat(value(result, "killed")).isIn("\"node-2\"", "\"node-3\"");
    assertThat(number(result, "seenAtKill")).isBetween(rows.size() / 3L, rows.size() * 3L / 4);
    assertThat(number(result, "unseenKeysOfKilled")).isPositive();
    assertThat(Stream.of("start", "load", "stream", "routes", "publish", "iterate", "total"))
        .allSatisfy(step -> assertThat(number(result, step)).isNotNegative());
    assertThat(temporary).as("the logs of a demo that went well").isEmptyDirectory();
  }

  @Test
  void durableDemoRestoresAllRowsAfterKillingAllNodes() throws Exception {
    List<String> lines = sampleFile();
    int rows = lines.size() - 1;
    String data = Files.write(folder.resolve("flights.csv"), lines).toString();
    Path json = folder.resolve("result.json");
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    String store = folder.resolve("store").toString();

    run(temporary, "demo", "--store", store, "--data", data, "--json", json.toString());
    String filled = Files.readString(json);
    assertThat(number(filled, "acked")).isEqualTo(rows);
    assertThat(number(filled, "killed")).isEqualTo(3);

    for (int again = 0; again < 2; again++) {
      run(temporary, "demo", "--store", store, "--restart", "--json", json.toString());
      String found = Files.readString(json);
      assertThat(number(found, "entries")).isEqualTo(rows);
      assertThat(number(found, "missing")).isZero();
      assertThat(number(found, "different")).isZero();
    }
  }

  private static List<String> sampleFile() throws IOException {
    Path flights = root().resolve("data").resolve("flights-2013.csv.gz");
    List<String> sample = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(flights)), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // The first line is the header.
        if (number++ % SAMPLE_INTERVAL_ROWS == 0) {
          sample.add(line);
        }
      }
    }
    return sample;
  }

  private static Path root() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }

  /** Runs the command line in a process of its own, since it ends its process. */
  private void run(Path temporary, String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(List.of(words));
    Path printed = folder.resolve("printed.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(story(printed, temporary)).isTrue();
      assertThat(process.exitValue()).as(story(printed, temporary)).isZero();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Returns what it printed and, when something failed, what the nodes logged. */
  private static String story(Path printed, Path temporary) throws IOException {
    StringBuilder story = new StringBuilder(Files.readString(printed));
    try (Stream<Path> files = Files.walk(temporary)) {
      for (Path log : files.filter(Files::isRegularFile).sorted().toList()) {
        story.append('\n').append(log.getFileName()).append(":\n").append(Files.readString(log));
      }
    }
    return story.toString();
  }

  private static long count(List<String> rows, Predicate<String> ofDelay) {
    return rows.stream()
        .filter(row -> ofDelay.test(row.split(",", -1)[DEPARTURE_DELAY_COLUMN]))
        .count();
  }

  private static long number(String json, String name) {
    return Long.parseLong(value(json, name));
  }

  /** Returns the value of a name that occurs once. */
  private static String value(String json, String name) {
    List<String> values = values(json, name);
    assertThat(values).as(name + " in " + json).hasSize(1);
    return values.getFirst();
  }

  private static List<String> values(String json, String name) {
    return Pattern.compile("\"" + name + "\": ([^,\\n]+)")
        .matcher(json)
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}
