package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, scripted answers. */
class ConductorTest {
  @TempDir private Path folder;
  private Path logs = Path.of("");
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final List<String> errors = new ArrayList<>();

  @AfterEach
  void leavesNoProcessBehind() {
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void killsTheNodeItIsToldToAndFinishes() throws Exception {
    DemoResult result = run("works", Duration.ofSeconds(60));
    assertThat(result.failures()).isEmpty();
    assertThat(result.iteration().kill()).isEqualTo(new DemoResult.Kill("node-3", 1, 1));
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("2 flights, 0 of them cancelled; 1 row malformed")
        .contains("     5         1         1  100.0 %  ")
        .contains("node-3 killed with SIGKILL when 1 of 2 entries were seen (50.0 %);");
    assertThat(logs).isEmptyDirectory();
    assertThat(errors).singleElement().asString().contains("flights.csv:4:2: ends after 1 of 7");
  }

  @Test
  void saysWhyANodeCouldNotJoin() {
    assertThatThrownBy(() -> run("failsToJoin", Duration.ofSeconds(60)))
        .isInstanceOf(DemoFailedException.class)
        .hasMessageStartingWith("node-2 failed joining: port taken; logs are in ");
  }

  @Test
  void saysThatANodeEnded() {
    assertThatThrownBy(() -> run("crashes", Duration.ofSeconds(60)))
        .hasMessageStartingWith("node-1 ended with status 9 while loading; logs are in ");
    assertThat(logs).isDirectoryRecursivelyContaining("glob:**/node-1.log");
  }

  @Test
  void endsANodeItCannotUnderstand() {
    assertThatThrownBy(() -> run("babbles", Duration.ofSeconds(60)))
        .hasMessageStartingWith("node-1 ended with status 137 while loading");
  }

  @Test
  void doesNotWaitForEver() {
    assertThatThrownBy(() -> run("hangs", Duration.ofSeconds(3)))
        .hasMessageStartingWith("no node said anything for 3 s while loading");
  }

  private DemoResult run(String behaviour, Duration patience) throws Exception {
    logs = Files.createDirectories(folder.resolve("logs"));
    Path data =
        Files.writeString(
            folder.resolve("flights.csv"),
            RowParser.HEADER
                + "\n"
                + "UA1,EWR,IAH,2013-01-01T05:15,2,11,1400\n"
                + "UA2,EWR,IAH,2013-01-01T06:15,0,0,1\n"
                + "?\n");
    return new Conductor(
            DemoSettings.of(3, 2, null, data, true, null),
            node -> command(behaviour, node),
            logs,
            patience,
            new Story(new PrintStream(printed, true, StandardCharsets.UTF_8)),
            errors::add)
        .run();
  }

  private static List<String> command(String behaviour, NodeSettings node) {
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
}
