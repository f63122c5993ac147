package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.cli.console.ProgressPrinter;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the conductor with real processes whose answers are scripted. */
class DemoConductorTest {
  @TempDir private Path folder;
  private Path logs = Path.of("");
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final List<String> errors = new ArrayList<>();

  @AfterEach
  void leavesNoProcessBehind() {
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void killsTheChosenNodeAndFinishes() throws Exception {
    DemoResult result = run("works", Duration.ofSeconds(60));
    assertThat(result.failures()).isEmpty();
    assertThat(result.iteration().kill()).isEqualTo(new DemoResult.Kill("node-3", 1, 1));
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("2 flights, 0 of them cancelled; 1 row malformed")
        .contains("     5         1         1  100.0 %  ")
        .contains("EWR-IAH        2")
        .contains("at most 64 bytes waited for it")
        .contains("node-3 killed with SIGKILL when 1 of 2 entries were seen (50.0 %);");
    assertThat(logs).isEmptyDirectory();
    assertThat(errors).singleElement().asString().contains("flights.csv:4:2: ends after 1 of 7");
  }

  @Test
  void reportsWhyANodeCouldNotJoin() {
    assertThatThrownBy(() -> run("failsToJoin", Duration.ofSeconds(60)))
        .isInstanceOf(DemoFailedException.class)
        .hasMessageStartingWith("node-2 failed joining: port taken; logs are in ");
  }

  @Test
  void reportsThatANodeEnded() {
    assertThatThrownBy(() -> run("crashes", Duration.ofSeconds(60)))
        .hasMessageStartingWith("node-1 ended with status 9 while loading; logs are in ");
    assertThat(logs).isDirectoryRecursivelyContaining("glob:**/node-1.log");
  }

  @Test
  void killsANodeItCannotUnderstand() {
    assertThatThrownBy(() -> run("babbles", Duration.ofSeconds(60)))
        .hasMessageStartingWith("node-1 ended with status 137 while loading");
  }

  @Test
  void timesOut() {
    assertThatThrownBy(() -> run("hangs", Duration.ofSeconds(3)))
        .hasMessageStartingWith("no node said anything for 3 s while loading");
  }

  @Test
  @Timeout(60)
  void leavesNeitherNodesNorLogsWhenInterrupted() throws Exception {
    logs = Files.createDirectories(folder.resolve("logs"));
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                HangingDemo.class.getName(),
                folder.toString())
            .redirectError(folder.resolve("errors.txt").toFile())
            .start();
    List<ProcessHandle> nodes = List.of();
    try (BufferedReader lines = demo.inputReader()) {
      String line = lines.readLine();
      while (line != null && !line.contains("all nodes have met")) {
        line = lines.readLine();
      }
      nodes = demo.descendants().toList();
      assertThat(nodes).hasSize(3);
      assertThat(logs).isNotEmptyDirectory();
      demo.destroy();
      assertThat(demo.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(logs).isEmptyDirectory();
      for (ProcessHandle node : nodes) {
        node.onExit().get(30, TimeUnit.SECONDS);
      }
    } finally {
      nodes.forEach(ProcessHandle::destroyForcibly);
      demo.destroyForcibly().waitFor();
    }
  }

  private DemoResult run(String behaviour, Duration patience) throws Exception {
    logs = Files.createDirectories(folder.resolve("logs"));
    return conductor(
            folder,
            behaviour,
            patience,
            new PrintStream(printed, true, StandardCharsets.UTF_8),
            errors)
        .run();
  }

  private static DemoConductor conductor(
      Path folder, String behaviour, Duration patience, PrintStream out, List<String> errors)
      throws Exception {
    Path data =
        Files.writeString(
            folder.resolve("flights.csv"),
            FlightRowParser.HEADER
                + "\n"
                + "UA1,EWR,IAH,2013-01-01T05:15,2,11,1400\n"
                + "UA2,EWR,IAH,2013-01-01T06:15,0,0,1\n"
                + "?\n");
    return new DemoConductor(
        DemoSettings.of(3, 2, null, data, true, null),
        node -> command(behaviour, node),
        folder.resolve("logs"),
        patience,
        new ProgressPrinter(out),
        errors::add);
  }

  private static List<String> command(String behaviour, DemoNodeSettings node) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        ScriptedNode.class.getName(),
        behaviour,
        Integer.toString(node.number()),
        Integer.toString(node.ports().size()));
  }

  /** Runs a demo that never finishes, in a process of its own. */
  static final class HangingDemo {
    private HangingDemo() {}

    public static void main(String... words) throws Exception {
      conductor(Path.of(words[0]), "hangs", Duration.ofSeconds(60), System.out, new ArrayList<>())
          .run();
    }
  }
}
