package io.cantle.crash;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/**
 * The command {@code ./cantle crash}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class Main {
  private Main() {}

  /** Runs what the arguments say and ends the process with its status; see {@code --help}. */
  public static void main(String... words) {
    System.exit(run(words));
  }

  static int run(String... words) {
    return new CommandLine(new CrashCommand())
        .setParameterExceptionHandler((exception, _) -> reportUsageError(exception))
        .execute(words);
  }

  private static int reportUsageError(CommandLine.ParameterException exception) {
    PrintWriter errors = exception.getCommandLine().getErr();
    String reason = String.valueOf(exception.getMessage()).lines().findFirst().orElse("");
    errors.println("cantle crash: " + reason + " (--help shows what is possible)");
    errors.flush();
    return ExitCode.USAGE;
  }
}
