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
 * The word {@code log}, which is followed by what is to be done.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "log",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Looks into a folder of a store, or of an append log alone, that no process has open; or into"
          + " all of them in the folders below. Nothing there is changed.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if everything is as it was written, 1 if something is damaged, 2 if there is no"
          + " store or somebody has it open."
    })
public final class LogCommand implements Runnable {
  private static final int MAX_RECORDS = 10_000;

  private final PrintStream out;
  private final PrintStream errors;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  // Only picocli asks for it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = CommandLine.ScopeType.INHERIT,
      description = "shows this")
  private boolean help;

  /** A word that prints where this process prints. */
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
        spec.commandLine(), "what is to be done? inspect DIR or verify DIR; --help says more");
  }

  /** What both need. */
  static final class Arguments {
    @Parameters(paramLabel = "DIR", description = "the folder")
    private @Nullable Path folder;

    @Option(names = "--json", paramLabel = "FILE", description = "writes the results there as well")
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
              description = "how many records are shown, 0 to 10000; 10 unless told otherwise")
          int records,
      @Option(names = "--all", description = "shows all segments, however many they are")
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
        "Reads everything, compares it with every checksum, and names file, offset and segment of"
            + " each damage. A torn end, which nobody was told was durable, is none.",
        ""
      })
  int verify(@Mixin Arguments arguments) {
    return runOnStores(arguments, new StoreVerification(out));
  }

  /** What is done with each store. */
  interface StoreAction {
    /** Looks at one, and tells what was found. */
    void runOn(ReadOnlyDisk disk, ProgressPrinter progress) throws IOException;

    /** The figures of all of them. */
    Map<String, Object> figures();

    /** How many places are damaged. */
    long damaged();
  }

  private int runOnStores(Arguments arguments, StoreAction look) {
    Path folder = arguments.folder;
    if (folder == null) {
      return printFailure("which folder?");
    }
    try {
      JsonFile.checkWritable(arguments.json);
      ProgressPrinter progress = new ProgressPrinter(out);
      for (Path store : StoreFinder.findIn(folder)) {
        progress.printLine(store.toString());
        look.runOn(new ReadOnlyDisk(store, progress), progress);
        out.println();
      }
      look.figures()
          .forEach(
              (name, value) -> {
                if (value instanceof Number) {
                  out.println(name + ": " + value);
                }
              });
      JsonFile.write(arguments.json, look.figures());
      return look.damaged() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    } catch (UsageException e) {
      return printFailure(e.getMessage());
    } catch (IOException e) {
      int _ = printFailure("cannot be read on: " + e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  private int printFailure(@Nullable String problem) {
    errors.println("cantle log: " + problem);
    return ExitCode.USAGE;
  }
}
