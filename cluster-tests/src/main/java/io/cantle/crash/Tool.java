package io.cantle.crash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a program of the system said.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param works whether it ended with success
 * @param output what it printed
 */
record Tool(boolean works, String output) {
  private static final int PATIENCE_SECONDS = 60;

  /** Runs a program to its end. */
  static Tool run(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      return new Tool(ended && process.exitValue() == 0, output.strip());
    } catch (IOException e) {
      return new Tool(false, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Runs a program that this machine must be able to run.
   *
   * @throws CrashException if it fails
   */
  static void needs(List<String> command) throws CrashException, InterruptedException {
    Tool tool = run(command);
    if (!tool.works) {
      throw new CrashException(
          CrashException.LACKING,
          "this machine lacks something: `" + String.join(" ", command) + "`: " + tool.output);
    }
  }
}
