package io.cantle.bench;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of the benchmarks. Exit code 0: all done and every result right; 1: something
 * failed; 2: bad input; 3: a tool is missing, or memory.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "bench",
    description = "Benchmarks of Cantle.",
    subcommands = {
      PeersCommand.class,
      LogCommand.class,
      StreamsCommand.class,
      LocalCommand.class,
      ContainerCommand.class,
      PausesCommand.class,
      ScatteredCommand.class
    })
public final class Main implements Runnable {

  static final int FAILED_STATUS = 1;
  static final int BAD_INPUT_STATUS = 2;
  static final int EXIT_MISSING_TOOL = 3;

  @Spec private CommandSpec spec;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  Main() {
    // Picocli sets both before the command runs.
    spec = CommandSpec.create();
  }

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Charset charset = System.out.charset();
    CommandLine line =
        commandLine(
            new PrintWriter(System.out, true, charset), new PrintWriter(System.err, true, charset));
    System.exit(line.execute(args));
  }

  /** Returns the whole command line, which writes to the given streams. */
  static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    var line = new CommandLine(new Main());
    line.setCommandName("cantle bench");
    line.setOut(out);
    line.setErr(err);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(Main::reportUsageError);
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getErr().println("cantle bench: " + failure.getMessage());
          return FAILED_STATUS;
        });
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "say what to measure: peers, log, streams, local, container, pauses or scattered");
  }

  private static int reportUsageError(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command
        .getErr()
        .println(
            name + ": " + toOneLine(mistake.getMessage()) + "; `" + name + " --help` says more");
    return BAD_INPUT_STATUS;
  }

  private static String toOneLine(@Nullable String message) {
    if (message == null) {
      return "bad input";
    }
    return String.join(" ", message.lines().map(String::strip).toList());
  }
}
