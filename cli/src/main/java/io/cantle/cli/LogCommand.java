package io.cantle.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/**
 * The place of a word that is announced.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "log",
    hidden = true,
    description = "Measures the ways of appending to a log (not there yet).")
final class LogCommand implements Callable<Integer> {
  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  // Not a usage help as picocli knows it: there is no usage to show.
  @CommandLine.Option(names = {"-h", "--help"})
  private boolean help;

  @Override
  public Integer call() {
    String answer = "cantle: `log` is not there yet";
    if (help) {
      spec.commandLine().getOut().println(answer);
      return ExitCode.OK;
    }
    spec.commandLine().getErr().println(answer);
    return ExitCode.USAGE;
  }
}
