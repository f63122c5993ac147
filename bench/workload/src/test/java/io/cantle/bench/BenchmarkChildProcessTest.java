package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BenchmarkChildProcessTest {

  @Test
  void endsTheProcessWithItsParent() throws Exception {
    Process parent = waiting(Parent.class).start();
    try (BufferedReader lines = parent.inputReader()) {
      long pid = Long.parseLong(lines.readLine());
      ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
      try {
        parent.destroy();
        assertThat(parent.waitFor(30, TimeUnit.SECONDS)).isTrue();
        child.onExit().get(30, TimeUnit.SECONDS);
      } finally {
        child.destroyForcibly();
      }
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void endsTheProcessWhenClosed() throws Exception {
    Process process;
    try (BenchmarkChildProcess child = new BenchmarkChildProcess()) {
      process = child.start(waiting(Child.class));
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  private static ProcessBuilder waiting(Class<?> program) {
    return new ProcessBuilder(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
  }

  /** Starts a {@link Child}, prints its process id and waits for its end. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] arguments) throws Exception {
      try (BenchmarkChildProcess child = new BenchmarkChildProcess()) {
        Process process = child.start(waiting(Child.class));
        System.out.println(process.pid());
        process.waitFor();
      }
    }
  }

  /** Does nothing and does not end by itself. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws InterruptedException {
      Thread.currentThread().join();
    }
  }
}
