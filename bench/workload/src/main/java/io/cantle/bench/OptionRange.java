package io.cantle.bench;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Checks numbers of the command line.
 *
 * <p><b>Threading:</b> any thread.
 */
final class OptionRange {
  private OptionRange() {}

  /**
   * Does nothing if an option's value is in its range.
   *
   * @throws ParameterException if it is not; the message names the option, the value and the range
   */
  static void requireWithin(CommandSpec spec, String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), "%s %s is not within %s to %s".formatted(option, value, least, most));
    }
  }
}
