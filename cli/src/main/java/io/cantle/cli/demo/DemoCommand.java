package io.cantle.cli.demo;

import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * The command {@code demo}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "demo",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Starts nodes as processes on this machine, loads 336,776 flights, counts the delayed ones"
          + " on the nodes that own them, and iterates all of them while a node is killed.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if every key was seen exactly once and all counts match the file, 1 if"
          + " not or if a node failed, 2 if the options ask for something impossible."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Path DEFAULT_DATA_FILE = Path.of("data", "flights-2013.csv.gz");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final PrintStream out;
  private final PrintStream errors;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "how many nodes, 1 to " + DemoSettings.MAX_NODES + "; 3 by default")
  private int nodes = 3;

  @Option(
      names = "--owners",
      paramLabel = "K",
      description =
          "how many nodes hold each entry, 1 to "
              + DemoSettings.MAX_OWNERS
              + " and no more than there are nodes; 2 by default")
  private @Nullable Integer owners;

  @Option(
      names = "--port",
      paramLabel = "P",
      description =
          "port of the first node, the others use the ports after it; any free ports by default")
  private @Nullable Integer port;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      description =
          "flights to load instead of data/flights-2013.csv.gz: the same columns, plain or"
              + " gzip")
  private @Nullable Path data;

  @Option(
      names = "--no-kill",
      description =
          "kills no node (`killed` is null in the JSON); needed with one owner or fewer than 3"
              + " nodes")
  private boolean noKill;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description =
          "stores entries on disk, in a folder of DIR for each node: loads them and kills all nodes"
              + " at once")
  private @Nullable Path store;

  @Option(
      names = "--restart",
      description = "restarts the nodes in DIR and checks that every entry is back")
  private boolean restart;

  @Option(
      names = "--container",
      paramLabel = "WORD",
      description =
          "where nodes keep entries in memory: heap, the default, or off-heap; with --restart, as"
              + " when they were loaded")
  private @Nullable String container;

  @Option(
      names = "--cache-mode",
      paramLabel = "WORD",
      description =
          "the mode of the cache: distributed, the default, or scattered; scattered needs 2 owners"
              + " and no --store")
  private @Nullable String cacheMode;

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
  public DemoCommand() {
    this(System.out, System.err);
  }

  DemoCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() {
    try {
      if (store != null && cacheMode != null) {
        throw new UsageException(
            "--cache-mode needs no --store: a scattered cache has no durability, and what is stored"
                + " is distributed");
      }
      if (store != null) {
        return runDurable(store);
      }
      if (restart) {
        throw new UsageException("--restart needs --store DIR, the folder of the nodes");
      }
      DemoSettings settings =
          DemoSettings.of(
                  nodes, owners, port, data == null ? defaultDataFile() : data, !noKill, json)
              .container(container)
              .cacheMode(cacheMode);
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      DemoConductor conductor =
          new DemoConductor(
              settings,
              DemoNodeCommand::commandLine,
              temporary,
              TIMEOUT,
              new ProgressPrinter(out),
              this::printFailure);
      return printResult(conductor.run(), settings.json());
    } catch (UsageException exception) {
      printFailure(exception.getMessage());
      return ExitCode.USAGE;
    } catch (DemoFailedException exception) {
      printFailure(exception.getMessage());
      return ExitCode.SOFTWARE;
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      printFailure("interrupted");
      return ExitCode.SOFTWARE;
    }
  }

  private int runDurable(Path folder)
      throws UsageException, DemoFailedException, InterruptedException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    DurableDemo demo =
        new DurableDemo(
            folder, DemoNodeCommand::commandLine, temporary, TIMEOUT, new ProgressPrinter(out));
    DurableDemo.RunResult found;
    if (restart) {
      SavedDemoGrid kept = SavedDemoGrid.read(folder);
      found =
          demo.restart(
              DemoSettings.of(kept.nodes(), kept.owners(), port, kept.data(), false, json)
                  .container(container),
              kept);
    } else {
      Path file = data == null ? defaultDataFile() : data;
      found =
          demo.loadAndKill(
              DemoSettings.of(nodes, owners, port, file, false, json).container(container));
    }
    out.println();
    found.values().forEach((name, value) -> out.println(name + ": " + value));
    writeJson(json, found.values());
    found.failures().forEach(this::printFailure);
    return found.failures().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static void writeJson(@Nullable Path file, Map<String, ? extends @Nullable Object> values)
      throws DemoFailedException {
    try {
      JsonFile.write(file, values);
    } catch (IOException exception) {
      throw new DemoFailedException(String.valueOf(exception.getMessage()));
    }
  }

  private int printResult(DemoResult result, @Nullable Path file) throws DemoFailedException {
    out.println(result.summary());
    out.println();
    result.figureLines().forEach(out::println);
    writeJson(file, result.toJson());
    List<String> failures = result.failures();
    failures.forEach(this::printFailure);
    return failures.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void printFailure(@Nullable String problem) {
    errors.println("cantle demo: " + problem);
  }

  /** Finds the flights that come with the sources, whatever the current folder is. */
  private static Path defaultDataFile() {
    CodeSource code = DemoCommand.class.getProtectionDomain().getCodeSource();
    if (code != null) {
      try {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = Path.of(code.getLocation().toURI());
            folder != null;
            folder = folder.getParent()) {
          Path file = folder.resolve(DEFAULT_DATA_FILE);
          if (Files.exists(file)) {
            return file.startsWith(here) ? here.relativize(file) : file;
          }
        }
      } catch (URISyntaxException exception) {
        throw new IllegalStateException(exception);
      }
    }
    return DEFAULT_DATA_FILE;
  }
}
