package io.cantle.cli.recover;

import io.cantle.GridException;
import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.UsageException;
import io.cantle.core.node.StoppedNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * The command {@code recover}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "recover",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Lets a stopped node continue without other nodes of its grid that are gone for good, if too"
          + " few are left to decide. Without --give-up it shows the members of the grid and"
          + " changes nothing.",
      "",
      "The price: data that only the given up nodes hold is lost, and so is every decision they"
          + " made without this node. The grid continues under a new id, and this node decides"
          + " alone until others are back. A given up node that restarts is refused with its store;"
          + " the store is moved aside, and the node joins as a new one. Do this on one node, the one"
          + " with the highest topology; the other nodes that are left follow it with the data they"
          + " hold. There is no way back: save the folder first.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if the node can continue when it is started, 1 if its folder cannot be read"
          + " or written, 2 if nothing was changed because the options do not allow it."
    })
public final class RecoverCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream errors;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      required = true,
      description = "the folder of the stopped node, GridConfig.store")
  private @Nullable Path folder;

  @Option(
      names = "--give-up",
      paramLabel = "NAME",
      split = ",",
      description = "the nodes that are gone for good, by name")
  private List<String> gone = List.of();

  @Option(
      names = "--restored",
      description =
          "all nodes were restored from backups: accepts every store as it is, however old; use it"
              + " for the folder of each node, once")
  private boolean restored;

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
  public RecoverCommand() {
    this(System.out, System.err);
  }

  RecoverCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() throws InterruptedException {
    Path its = folder;
    if (its == null) {
      return printFailure("which folder? --store DIR", ExitCode.USAGE);
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    try {
      JsonFile.checkWritable(json);
      int status;
      try (StoppedNode node = StoppedNode.open(its)) {
        status = recover(node, figures);
      }
      figures.forEach((name, value) -> out.println(name + ": " + value));
      JsonFile.write(json, figures);
      return status;
    } catch (IllegalArgumentException | UsageException e) {
      return printFailure(e.getMessage(), ExitCode.USAGE);
    } catch (GridException | IOException e) {
      return printFailure(e.getMessage(), ExitCode.SOFTWARE);
    }
  }

  private int recover(StoppedNode node, Map<String, Object> figures) throws InterruptedException {
    figures.put("node", node.name());
    figures.put("gridName", node.gridName());
    figures.put("grid", node.grid().toString());
    figures.put("topology", node.topologyNumber());
    figures.put("members", String.join(", ", node.members()));
    figures.put("voters", String.join(", ", node.voters()));
    if (restored) {
      node.acceptStoresAsTheyAre();
      out.println(node.name() + " accepts the stores of all nodes as they are when it is started");
      figures.put("restored", "true");
      if (gone.isEmpty()) {
        return ExitCode.OK;
      }
    }
    if (gone.isEmpty()) {
      figures.put("recovered", "false");
      return printFailure(
          "nothing was changed: name the nodes that are gone for good with --give-up NAME,...;"
              + " --help says what that costs",
          ExitCode.USAGE);
    }
    StoppedNode.RecoveryResult recovered = node.recover(gone);
    out.println(
        node.name()
            + " continues without "
            + String.join(", ", gone)
            + " when it is started: "
            + recovered.lost());
    figures.put("givenUp", String.join(", ", gone));
    figures.put("lostSegments", recovered.lostSegments());
    figures.put("recoveredGrid", recovered.grid().toString());
    figures.put("recovered", "true");
    return ExitCode.OK;
  }

  private int printFailure(@Nullable String what, int status) {
    errors.println("cantle recover: " + what);
    return status;
  }
}
