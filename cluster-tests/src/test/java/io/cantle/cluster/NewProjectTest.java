package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.cli.Main;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Tests that a new user gets from nothing to two processes that share a map: {@code ./cantle new}
 * as the script runs it, and the script that it writes. The artifacts go into a repository of this
 * test.
 */
@Timeout(300)
final class NewProjectTest {
  private static final int DEADLINE_SECONDS = 120;

  @TempDir private Path folder = Path.of("");

  @Test
  void newProjectRunsTwoProcessesThatMeet() throws Exception {
    Path repository = ownRepository();
    Path project = folder.resolve("shop");
    Path json = folder.resolve("new.json");

    String created = run(0, createCommand(project, "--json", json.toString()));
    assertThat(created)
        .contains("cantle-api", "cantle-core", "dependency: io.cantle:cantle:")
        .contains("project: " + project, "repository: " + repository);
    assertThat(Files.readString(json)).contains("\"run\": \"" + project.resolve("run") + "\"");
    assertThat(sourcesOf(repository.resolve("io").resolve("cantle").resolve("cantle-api")))
        .isNotEmpty();

    Files.writeString(
        project.resolve("src/main/java/Try.java"), "void main() { IO.println(\"tried\"); }");
    assertThat(run(0, List.of(project.resolve("run").toString())))
        .contains("one reads: Greeting[from=two", "two reads: Greeting[from=one")
        .contains("run: the two have met");
    assertThat(processesLeft()).isEmpty();

    // From here on nothing is built.
    Files.writeString(project.resolve("mvnw"), "#!/bin/sh\n");
    assertThat(run(0, List.of(project.resolve("run").toString(), "Try"))).contains("tried");
    assertThat(run(2, List.of(project.resolve("run").toString(), "hello.Hello")))
        .contains("usage: ./run hello.Hello GRID NAME");

    // What does not start, and what does not build, is said to fail and ends.
    Files.delete(project.resolve("target/classes/hello/Hello.class"));
    assertThat(run(1, List.of(project.resolve("run").toString())))
        .containsPattern("run: the two have not met: process (one|two) ended with 1");
    assertThat(processesLeft()).isEmpty();
    Files.writeString(project.resolve("mvnw"), "#!/bin/sh\nexit 1\n");
    assertThat(run(1, List.of(project.resolve("run").toString())))
        .contains("run: the build failed");
  }

  /**
   * Makes a local repository that has all of the real one but Cantle. So nothing is fetched that is
   * there, and nothing of the real one is replaced.
   */
  private Path ownRepository() throws IOException, URISyntaxException {
    // REPOSITORY/info/picocli/picocli/VERSION/FILE
    Path picocli =
        Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path real = picocli.resolve("../../../../..").normalize();
    Path own = Files.createDirectory(folder.resolve("repository"));
    linkChildren(real, own, "io");
    Path io = Files.createDirectory(own.resolve("io"));
    if (Files.exists(real.resolve("io"))) {
      linkChildren(real.resolve("io"), io, "cantle");
    }
    return own;
  }

  private static void linkChildren(Path from, Path to, String except) throws IOException {
    try (Stream<Path> children = Files.list(from)) {
      for (Path child : children.toList()) {
        if (!child.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(child.getFileName()), child);
        }
      }
    }
  }

  /** Deletes the links, since JUnit warns of each that leads out of the folder. */
  @AfterEach
  void deleteLinks() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("repository"), 2)) {
      for (Path link : files.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }

  private static List<Path> sourcesOf(Path artifact) throws IOException {
    try (Stream<Path> files = Files.walk(artifact)) {
      return files.filter(file -> file.toString().endsWith("-sources.jar")).toList();
    }
  }

  /** The processes that have something of this test on their class path. */
  private Stream<String> processesLeft() {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(command -> command.contains(folder.toString()));
  }

  private static List<String> createCommand(Path project, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "new", project.toString()));
    command.addAll(List.of(options));
    return command;
  }

  /** Runs a command, and returns what it printed. */
  private String run(int status, List<String> command) throws Exception {
    Path printed = folder.resolve("printed.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
    builder.environment().put("CANTLE_ROOT", root().toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", "-Dmaven.repo.local=" + folder.resolve("repository"));
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String output = Files.readString(printed);
      assertThat(ended).as("%s ends; it printed %s", command, output).isTrue();
      assertThat(process.exitValue()).as(output).isEqualTo(status);
      return output;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static Path root() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new IllegalStateException("no folder above this one holds mvnw: run inside Cantle");
  }
}
