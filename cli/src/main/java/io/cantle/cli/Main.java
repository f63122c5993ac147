package io.cantle.cli;

import io.cantle.cli.demo.DemoCommand;
import io.cantle.cli.drain.DrainCommand;
import io.cantle.cli.log.LogCommand;
import io.cantle.cli.project.NewCommand;
import io.cantle.cli.recover.RecoverCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/**
 * The entry point of the command line, which runs the command named by the first argument.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "cantle",
    description = "An in-memory data grid: shows on this machine what it can do.",
    mixinStandardHelpOptions = false,
    usageHelpWidth = 100)
public final class Main implements Runnable {
  // Only picocli reads it.
  @SuppressWarnings("unused")
  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  /** Runs the command named by the first argument, and ends the process with its exit status. */
  public static void main(String... words) {
    System.exit(run(words));
  }

  static int run(String... words) {
    return new CommandLine(new Main())
        .addSubcommand(new NewCommand())
        .addSubcommand(new DemoCommand())
        .addSubcommand(new DrainCommand())
        .addSubcommand(new LogCommand())
        .addSubcommand(new RecoverCommand())
        .setParameterExceptionHandler((exception, _) -> reportUsageError(exception))
        .setExecutionExceptionHandler((exception, command, _) -> reportFailure(exception, command))
        .execute(words);
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "which command? new, demo, drain, log or recover; see --help");
  }

  private static int reportUsageError(CommandLine.ParameterException exception) {
    CommandLine command = exception.getCommandLine();
    printError(command, firstLine(exception) + " (--help shows what is possible)");
    return ExitCode.USAGE;
  }

  /** Only unexpected failures arrive here, so the whole stack trace is printed. */
  private static int reportFailure(Exception exception, CommandLine command) {
    StringWriter trace = new StringWriter();
    exception.printStackTrace(new PrintWriter(trace));
    printError(command, trace.toString().strip());
    return ExitCode.SOFTWARE;
  }

  private static String firstLine(Exception exception) {
    return String.valueOf(exception.getMessage()).lines().findFirst().orElse("");
  }

  private static void printError(CommandLine command, String message) {
    PrintWriter errors = command.getErr();
    errors.println(command.getCommandSpec().qualifiedName() + ": " + message);
    errors.flush();
  }
}
