package io.cantle.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that a seed is the same run in any process. */
final class ReplayTest {

  @Test
  void twoProcessesSeeTheSameHash() throws IOException, InterruptedException {
    String once = hash("--seeds", "3", "--threads", "1");
    assertThat(hash("--seeds", "3", "--threads", "3")).isEqualTo(once).startsWith("event hash: ");
  }

  private static String hash(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");
    command.add("-cp");
    command.add(classPath());
    command.add(Main.class.getName());
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return out.lines().filter(line -> line.startsWith("event hash")).findFirst().orElse(out);
  }

  /** Returns the class path; the modules of the test run are files as well. */
  private static String classPath() {
    String modules = System.getProperty("jdk.module.path", "");
    return System.getProperty("java.class.path")
        + (modules.isEmpty() ? "" : System.getProperty("path.separator") + modules);
  }
}
