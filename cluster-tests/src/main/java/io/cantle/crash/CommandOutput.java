package io.cantle.crash;

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
record CommandOutput(boolean isSuccess, String output) {
  private static final int TIMEOUT_SECONDS = 60;

  /** Runs a program to its end. */
  static CommandOutput run(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
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

  /**
   * Runs a program that this machine must be able to run.
   *
   * @throws CrashException if it fails
   */
  static void runOrFail(List<String> command) throws CrashException, InterruptedException {
    CommandOutput tool = run(command);
    if (!tool.isSuccess) {
      throw new CrashException(
          CrashException.LACKING_STATUS,
          "this machine lacks something: `" + String.join(" ", command) + "`: " + tool.output);
    }
  }
}
