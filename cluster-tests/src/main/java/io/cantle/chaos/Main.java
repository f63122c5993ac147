package io.cantle.chaos;

import io.cantle.chaos.scenario.ScenarioCatalog;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/**
 * The command {@code ./cantle chaos}.
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
    CommandLine command = new CommandLine(new ChaosCommand());
    command.getCommandSpec().usageMessage().footer(footer(command));
    return command
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler((exception, _) -> reportUsageError(exception))
        .execute(words);
  }

  /** Returns what stands below the options: the scenarios, then the exit status. */
  private static String[] footer(CommandLine command) {
    List<String> lines = new ArrayList<>(List.of("", "Scenarios:"));
    lines.addAll(ScenarioCatalog.describeAll());
    lines.addAll(List.of(command.getCommandSpec().usageMessage().footer()));
    return lines.toArray(String[]::new);
  }

  private static int reportUsageError(CommandLine.ParameterException exception) {
    PrintWriter errors = exception.getCommandLine().getErr();
    String reason = String.valueOf(exception.getMessage()).lines().findFirst().orElse("");
    errors.println("cantle chaos: " + reason + " (--help shows what is possible)");
    errors.flush();
    return ExitCode.USAGE;
  }
}
