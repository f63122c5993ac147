package io.cantle.cli.log;

import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code log}, which is followed by a subcommand.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "log",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Reads the folder of a store, or of an append log alone, that no process has open; or all"
          + " such folders below it. It changes nothing.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if everything is as it was written, 1 if something is damaged, 2 if there is no"
          + " store or a process has it open."
    })
public final class LogCommand implements Runnable {
  private static final int MAX_RECORDS = 10_000;

  private final PrintStream out;
  private final PrintStream errors;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  // Only picocli reads it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = CommandLine.ScopeType.INHERIT,
      description = "shows this help")
  private boolean help;

  /** Creates a command that prints to stdout and stderr of this process. */
  public LogCommand() {
    this(System.out, System.err);
  }

  LogCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "which command? inspect DIR or verify DIR; see --help");
  }

  /** The arguments of both subcommands. */
  static final class Arguments {
    @Parameters(paramLabel = "DIR", description = "the folder")
    private @Nullable Path folder;

    @Option(
        names = "--json",
        paramLabel = "FILE",
        description = "also writes the results to this file")
    private @Nullable Path json;
  }

  @Command(
      name = "inspect",
      sortOptions = false,
      usageHelpWidth = 100,
      description = {
        "Shows files, segments with their keys, live and dead bytes, where some records are, and the"
            + " first damage.",
        ""
      })
  int inspect(
      @Mixin Arguments arguments,
      @Option(
              names = "--records",
              paramLabel = "N",
              defaultValue = "10",
              description = "how many records to show, 0 to 10000; 10 by default")
          int records,
      @Option(names = "--all", description = "shows all segments, however many there are")
          boolean all) {
    if (records < 0 || records > MAX_RECORDS) {
      return printFailure("--records " + records + " is not within 0 to " + MAX_RECORDS);
    }
    return runOnStores(arguments, new StoreInspection(out, records, all));
  }

  @Command(
      name = "verify",
      sortOptions = false,
      usageHelpWidth = 100,
      description = {
        "Reads everything, checks every checksum, and names file, offset and segment of each"
            + " damage. A torn end that was never acknowledged as durable is no damage.",
        ""
      })
  int verify(@Mixin Arguments arguments) {
    return runOnStores(arguments, new StoreVerification(out));
  }

  /** What a subcommand does with each store. */
  interface StoreAction {
    /** Reads one store and prints what was found. */
    void runOn(ReadOnlyDisk disk, ProgressPrinter progress) throws IOException;

    /** The figures of all stores. */
    Map<String, Object> figures();

    /** The number of damaged places. */
    long damaged();
  }

  private int runOnStores(Arguments arguments, StoreAction action) {
    Path folder = arguments.folder;
    if (folder == null) {
      return printFailure("which folder? name one");
    }
    try {
      JsonFile.checkWritable(arguments.json);
      ProgressPrinter progress = new ProgressPrinter(out);
      for (Path store : StoreFinder.findIn(folder)) {
        progress.printLine(store.toString());
        action.runOn(new ReadOnlyDisk(store, progress), progress);
        out.println();
      }
      action
          .figures()
          .forEach(
              (name, value) -> {
                if (value instanceof Number) {
                  out.println(name + ": " + value);
                }
              });
      JsonFile.write(arguments.json, action.figures());
      return action.damaged() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    } catch (UsageException e) {
      return printFailure(e.getMessage());
    } catch (IOException e) {
      int _ = printFailure("reading failed: " + e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  private int printFailure(@Nullable String problem) {
    errors.println("cantle log: " + problem);
    return ExitCode.USAGE;
  }
}
