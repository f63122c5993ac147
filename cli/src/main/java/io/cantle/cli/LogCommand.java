package io.cantle.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** The place of a word that is announced. */
@Command(name = "log", description = "Measures the ways of appending to a log (not there yet).")
final class LogCommand implements Callable<Integer> {
  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().getErr().println("cantle: `log` is not there yet");
    return ExitCode.USAGE;
  }
}
