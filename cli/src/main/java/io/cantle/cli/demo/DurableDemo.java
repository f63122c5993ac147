package io.cantle.cli.demo;

import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Runs the demo of a grid that is stored on disk: one run loads it and kills all its nodes at once,
 * another run restarts them and checks that every entry is back.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DurableDemo {
  private final Path folder;
  private final Function<DemoNodeSettings, List<String>> command;
  private final Path temporaryDirectory;
  private final Duration timeout;
  private final ProgressPrinter progress;

  /**
   * Creates a demo that has not started.
   *
   * @param folder the folder in which each node has a folder of its own
   * @param command makes the command line of a node
   * @param temporaryDirectory the folder in which the nodes' logs get a folder of their own
   * @param timeout how long to wait for the next message of any node
   * @param progress prints what happens
   */
  DurableDemo(
      Path folder,
      Function<DemoNodeSettings, List<String>> command,
      Path temporaryDirectory,
      Duration timeout,
      ProgressPrinter progress) {
    this.folder = folder;
    this.command = command;
    this.temporaryDirectory = temporaryDirectory;
    this.timeout = timeout;
    this.progress = progress;
  }

  /**
   * The results of a run.
   *
   * @param values the figures by name, in the order in which they are shown
   * @param failures each claim of the demo that does not hold
   */
  record RunResult(Map<String, Object> values, List<String> failures) {}

  /**
   * Loads the flights and kills all nodes.
   *
   * @throws UsageException if the folder is not empty
   * @throws DemoFailedException if a node does not do what it should
   */
  RunResult loadAndKill(DemoSettings settings)
      throws UsageException, DemoFailedException, InterruptedException {
    SavedDemoGrid.prepareDirectory(folder);
    // The grid keeps this name when it is restarted.
    String grid = "cantle-demo-kept-" + ProcessHandle.current().pid();
    try (DemoCluster nodes = new DemoCluster(temporaryDirectory, timeout)) {
      announce(settings);
      nodes.start(settings, grid, folder, command);
      long rows = countRows(settings.data());
      awaitAll(nodes, "all nodes have met after ");
      long began = System.nanoTime();
      progress.beginStep("load", rows);
      nodes.sendToWorker(DemoMessage.of(DemoMessage.LOAD));
      DemoMessage loaded = nodes.awaitDone("loading", progress);
      progress.updateProgress(rows);
      long acked = loaded.numberField("loaded");
      long millis = Math.max(1, millis(began));
      progress.endStep(
          "%s entries on the disks of all their owners, in %s: %s a second"
              .formatted(
                  ProgressPrinter.formatCount(acked),
                  ProgressPrinter.formatElapsed(began),
                  ProgressPrinter.formatCount(acked * 1_000 / millis)));
      int killed = nodes.killAll();
      progress.printLine("kill      all " + killed + " nodes with SIGKILL, at once");
      new SavedDemoGrid(grid, settings.nodeCount(), settings.owners(), settings.data(), acked)
          .write(folder);
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("nodes", settings.nodeCount());
      values.put("owners", settings.owners());
      values.put("entries", loaded.numberField("entries"));
      values.put("acked", acked);
      values.put("killed", killed);
      values.put("load_ms", millis);
      return new RunResult(
          values,
          loaded.numberField("entries") == acked && killed == settings.nodeCount()
              ? List.of()
              : List.of("not every entry was there, or not every node was killed"));
    } finally {
      progress.breakOpenLine();
    }
  }

  /**
   * Restarts all nodes and checks that every entry is back.
   *
   * @param kept the description of the demo in the folder
   * @throws DemoFailedException if a node does not do what it should
   */
  RunResult restart(DemoSettings settings, SavedDemoGrid kept)
      throws DemoFailedException, InterruptedException {
    try (DemoCluster nodes = new DemoCluster(temporaryDirectory, timeout)) {
      announce(settings);
      long began = System.nanoTime();
      nodes.start(settings, kept.grid(), folder, command);
      awaitAll(nodes, "all nodes are back after ");
      long back = millis(began);
      long looking = System.nanoTime();
      progress.beginStep("look", kept.acked());
      nodes.sendToWorker(DemoMessage.of(DemoMessage.CHECK));
      DemoMessage checked = nodes.awaitDone("looking for every entry", progress);
      progress.updateProgress(kept.acked());
      progress.endStep(
          "each entry of the file was checked, in " + ProgressPrinter.formatElapsed(looking));
      long missing = checked.numberField("missing");
      long different = checked.numberField("different");
      long entries = checked.numberField("entries");
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("nodes", settings.nodeCount());
      values.put("acked", kept.acked());
      values.put("entries", entries);
      values.put("missing", missing);
      values.put("different", different);
      values.put("back_ms", back);
      return new RunResult(
          values,
          missing == 0 && different == 0 && entries == kept.acked()
              ? List.of()
              : List.of("not every acknowledged entry is back"));
    } finally {
      progress.breakOpenLine();
    }
  }

  /** Counts the flights while the nodes start. */
  private static long countRows(Path data) throws UsageException {
    try (FlightFile file = FlightFile.open(data, _ -> {})) {
      while (file.next() != null) {
        // The file counts its lines.
      }
      return file.lines().size();
    }
  }

  private void announce(DemoSettings settings) {
    progress.printLine(
        "Cantle demo: %d nodes, each a process with a folder in %s; durability SYNC"
            .formatted(settings.nodeCount(), folder));
  }

  private void awaitAll(DemoCluster nodes, String met)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("start", 1);
    nodes.awaitAll();
    progress.endStep(met + ProgressPrinter.formatElapsed(began));
  }

  private static long millis(long began) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }
}
