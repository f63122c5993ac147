package io.cantle.chaos.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The output of a program of the system.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param isSuccess whether it ended with success
 * @param output what it printed
 */
public record CommandOutput(boolean isSuccess, String output) {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** How long to wait for a killed program to be gone. */
  private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

  /** Runs a program to its end, without input. */
  public static CommandOutput run(List<String> command) throws InterruptedException {
    return run(command, "");
  }

  /** Runs a program, which reads this input, to its end. */
  public static CommandOutput run(List<String> command, String input) throws InterruptedException {
    return run(command, input, TIMEOUT);
  }

  /**
   * Does the same, and kills the program if it has not ended in time. Its input and output are
   * files, because a pipe to a program that hangs would be waited for without a deadline.
   */
  static CommandOutput run(List<String> command, String input, Duration timeout)
      throws InterruptedException {
    try {
      Path in = Files.createTempFile("command", ".in");
      Path out = Files.createTempFile("command", ".out");
      try {
        Files.writeString(in, input);
        Process process =
            new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        boolean hasEnded = awaitOrKill(process, timeout);
        String output = new String(Files.readAllBytes(out), StandardCharsets.UTF_8).strip();
        return hasEnded
            ? new CommandOutput(process.exitValue() == 0, output)
            : new CommandOutput(
                false, output + "\nit did not end within " + timeout.toMillis() + " ms");
      } finally {
        Files.delete(in);
        Files.delete(out);
      }
    } catch (IOException e) {
      return new CommandOutput(false, String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether the program has ended by itself; otherwise nothing of it is left. */
  private static boolean awaitOrKill(Process process, Duration timeout)
      throws InterruptedException {
    boolean hasEnded = false;
    try {
      hasEnded = process.waitFor(timeout);
    } finally {
      // A shell that sees its child die goes on with its script, so it goes first.
      List<ProcessHandle> children = process.descendants().toList();
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
    }
    process.waitFor(END_TIMEOUT);
    return hasEnded;
  }

  /** Returns a text for people about a command that had no success. */
  public String describeFailure(List<String> command) {
    return "`" + String.join(" ", command) + "` failed: " + output;
  }
}
