package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the scripts of a new project, {@code run} and {@code build/jdk.sh}, with a Maven and a JDK
 * that only pretend.
 */
@Timeout(60)
final class ProjectScriptsTest {
  private static final int DEADLINE_SECONDS = 20;

  /** Longer than the deadline, as a process that waits for another. */
  private static final String WAIT_LONG = "exec sleep 50";

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void createProject() throws IOException {
    Path root = root();
    script(
        "run", Files.readString(root.resolve("cli/src/main/resources/io/cantle/cli/project/run")));
    script("build/jdk.sh", Files.readString(root.resolve("build/jdk.sh")));
    script("mvnw", "#!/bin/sh\nmkdir -p target\necho nothing >target/classpath.txt\n");
    Files.createDirectories(folder.resolve("jdk"));
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
    script("jdk/bin/javac", "#!/bin/sh\n");
    java("exit 0");
  }

  private void script(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Has the pretended JDK do this. The last argument of each of the two processes is its name. */
  private void java(String command) throws IOException {
    script("jdk/bin/java", "#!/bin/sh\nfor name; do :; done\n" + command + "\n");
  }

  private Process start(String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(folder.resolve("printed.txt").toFile()));
    builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    return builder.start();
  }

  /** Waits for the end of a script, and returns what scripts have printed. */
  private String awaitEnd(int status, Process process) throws Exception {
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String printed = Files.readString(folder.resolve("printed.txt"));
      assertThat(ended).as("it ends; it printed %s", printed).isTrue();
      assertThat(process.exitValue()).as(printed).isEqualTo(status);
      return printed;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void processThatFailsIsNamedAtOnceWhicheverItIs() throws Exception {
    java("case $name in two) exit 3 ;; esac\n" + WAIT_LONG);
    assertThat(awaitEnd(1, start("./run")))
        .contains("run: the two have not met: process two ended with 3");
    java("case $name in one) exit 4 ;; esac\n" + WAIT_LONG);
    assertThat(awaitEnd(1, start("./run")))
        .contains("run: the two have not met: process one ended with 4");
  }

  @Test
  void processesThatHaveEndedAreNotKilled() throws Exception {
    assertThat(awaitEnd(0, start("sh", "-x", "run")))
        .contains("run: the two have met")
        .doesNotContain("+ kill -9");
  }

  @Test
  void helpIsOfTheScriptAndBuildsNothing() throws Exception {
    assertThat(awaitEnd(0, start("./run", "--help")))
        .contains("usage: ./run", "./run CLASS ARGUMENTS")
        .doesNotContain("building");
  }

  @Test
  void runsSideBySideBuildOneAfterTheOther() throws Exception {
    script(
        "mvnw",
        """
        #!/bin/sh
        mkdir -p target
        mkdir target/busy || exit 1
        sleep 0.5
        echo nothing >target/classpath.txt
        rmdir target/busy
        """);
    Process first = start("./run", "Try");
    Process second = start("./run", "Try");
    awaitEnd(0, first);
    awaitEnd(0, second);
  }

  @Test
  void jdkOnThePathIsFoundThroughLinks() throws Exception {
    Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(folder.resolve("bin/javac"), folder.resolve("jdk/bin/javac"));
    assertThat(findJdk("unset JAVA_HOME", "bin"))
        .isEqualToIgnoringNewLines(folder.toRealPath().resolve("jdk").toString());
  }

  @Test
  void anotherJdkOnThePathIsPassedOver() throws Exception {
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"21.0.1\"\n");
    assertThat(findJdk("true", "jdk/bin")).doesNotContain(folder.toString());
  }

  /** Returns the JDK that is found after a command, with this folder ahead on the path. */
  private String findJdk(String before, String onPath) throws Exception {
    String path = "PATH=" + folder.resolve(onPath) + ":$PATH";
    String find = before + "; script=test; " + path + "; . build/jdk.sh; echo \"$JAVA_HOME\"";
    return awaitEnd(0, start("sh", "-c", find));
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
