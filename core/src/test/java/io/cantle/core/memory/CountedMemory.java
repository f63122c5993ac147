package io.cantle.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Runs a program that compares what it takes of the heap with what is counted, in a JVM of its own
 * whose collections leave nothing behind. The program prints a line for each comparison, with the
 * ratio at its end.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class CountedMemory {
  private CountedMemory() {}

  /** Asserts that the program prints so many lines, and that each ratio is within 5 percent. */
  public static void assertTaken(Class<?> program, String heap, int lines) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // Or collections leave some garbage.
                "-XX:MarkSweepAlwaysCompactCount=1",
                heap,
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName())
            .redirectError(Redirect.INHERIT)
            .start();
    String told = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(child.waitFor()).as(told).isZero();
    assertThat(told.lines()).as(told).hasSize(lines);
    assertThat(told.lines())
        .as(told)
        .allSatisfy(
            line ->
                assertThat(Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .as(line)
                    .isBetween(0.95, 1.05));
  }
}
