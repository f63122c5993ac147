package io.cantle.cli.drain;

import io.cantle.cli.console.FreePorts;
import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * The command {@code drain}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "drain",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Fills a cache on three nodes in this process and sends all of it to a slow subscriber;"
          + " reports how much was buffered for it on each node, and by how much the heap grew.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if each entry came exactly once and no node held more than twice the budget,"
          + " 1 if not, 2 if the options ask for something impossible."
    })
public final class DrainCommand implements Callable<Integer> {
  private static final int MAX_MEBIBYTES = 1 << 16;
  private static final int MAX_SECONDS = 3_600;

  private final PrintStream out;
  private final PrintStream errors;

  @Option(
      names = "--mebibytes",
      paramLabel = "N",
      description = "MiB in the cache, 1 to " + MAX_MEBIBYTES + "; 1024 by default")
  private int mebibytes = 1_024;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "how long the subscriber takes to read it, 1 to " + MAX_SECONDS + "; 60 by default")
  private int seconds = 60;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "also writes the results to this file")
  private @Nullable Path json;

  // Only picocli reads it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "shows this help")
  private boolean help;

  /** Creates a command that prints to stdout and stderr of this process. */
  public DrainCommand() {
    this(System.out, System.err);
  }

  DrainCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() {
    try {
      requireWithin("--mebibytes", mebibytes, MAX_MEBIBYTES);
      requireWithin("--seconds", seconds, MAX_SECONDS);
      JsonFile.checkWritable(json);
      checkHeap();
      try (DrainRun drain =
          new DrainRun(FreePorts.find(DrainRun.NODE_COUNT), new ProgressPrinter(out))) {
        return printResult(drain.run((long) mebibytes << 20, seconds));
      }
    } catch (UsageException exception) {
      printFailure(exception.getMessage());
      return ExitCode.USAGE;
    } catch (IOException | IllegalStateException exception) {
      printFailure(exception.getMessage());
      return ExitCode.SOFTWARE;
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      printFailure("interrupted");
      return ExitCode.SOFTWARE;
    }
  }

  private static void requireWithin(String option, int value, int max) throws UsageException {
    if (value < 1 || value > max) {
      throw new UsageException(option + " " + value + " is not within 1 to " + max);
    }
  }

  /**
   * Refuses a heap that is too small: entries take about a tenth more than their values, and the
   * garbage collector needs room.
   */
  private void checkHeap() throws UsageException {
    long needed = (mebibytes * 3L / 2 + 128) << 20;
    long there = Runtime.getRuntime().maxMemory();
    if (there < needed) {
      throw new UsageException(
          "--mebibytes "
              + mebibytes
              + " needs a heap of "
              + (needed >> 20)
              + " MiB and there are "
              + (there >> 20)
              + ": set JAVA_TOOL_OPTIONS=-Xmx"
              + (needed >> 20)
              + "m, or ask for fewer");
    }
  }

  private int printResult(DrainResult result) throws IOException {
    out.println();
    result.figures().forEach((name, value) -> out.println(name + ": " + value));
    JsonFile.write(json, result.figures());
    List<String> failures = result.failures();
    failures.forEach(this::printFailure);
    return failures.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void printFailure(@Nullable String problem) {
    errors.println("cantle drain: " + problem);
  }
}
