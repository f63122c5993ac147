package io.cantle.chaos.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The output of a program of the system.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param isSuccess whether it ended with success
 * @param output what it printed
 */
public record CommandOutput(boolean isSuccess, String output) {
  private static final int TIMEOUT_SECONDS = 60;

  /** Runs a program to its end, without input. */
  public static CommandOutput run(List<String> command) throws InterruptedException {
    return run(command, "");
  }

  /** Runs a program, which reads this input, to its end. */
  public static CommandOutput run(List<String> command, String input) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      return new CommandOutput(ended && process.exitValue() == 0, output.strip());
    } catch (IOException e) {
      return new CommandOutput(false, String.valueOf(e.getMessage()));
    }
  }

  /** Returns a text for people about a command that had no success. */
  public String describeFailure(List<String> command) {
    return "`" + String.join(" ", command) + "` failed: " + output;
  }
}
