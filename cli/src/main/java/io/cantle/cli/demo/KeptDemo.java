package io.cantle.cli.demo;

import io.cantle.cli.console.Story;
import io.cantle.cli.console.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The demo of a grid that is kept on disk: it is loaded, then all its nodes are killed at once;
 * another run brings them back and looks for every entry.
 *
 * <p><b>Threading:</b> one thread.
 */
final class KeptDemo {
  private final Path folder;
  private final Function<NodeSettings, List<String>> command;
  private final Path temporary;
  private final Duration patience;
  private final Story story;

  /**
   * A demo that has not begun.
   *
   * @param folder in which each node has one
   * @param command what to run for a node
   * @param temporary the folder in which the nodes' logs get one of their own
   * @param patience how long nothing may be heard of any node
   * @param story is told what happens
   */
  KeptDemo(
      Path folder,
      Function<NodeSettings, List<String>> command,
      Path temporary,
      Duration patience,
      Story story) {
    this.folder = folder;
    this.command = command;
    this.temporary = temporary;
    this.patience = patience;
    this.story = story;
  }

  /**
   * What was found.
   *
   * @param values by name, in the order in which they are shown
   * @param failures what does not hold of that which the demo is there to show
   */
  record Found(Map<String, Object> values, List<String> failures) {}

  /**
   * Loads the flights and kills all nodes.
   *
   * @throws UsageException if there is something in the folder
   * @throws DemoFailedException if a node does not do what it should
   */
  Found fill(DemoSettings settings)
      throws UsageException, DemoFailedException, InterruptedException {
    KeptGrid.prepare(folder);
    // It keeps its name when it comes back.
    String grid = "cantle-demo-kept-" + ProcessHandle.current().pid();
    try (Nodes nodes = new Nodes(temporary, patience)) {
      announce(settings);
      nodes.start(settings, grid, folder, command);
      long rows = count(settings.data());
      awaitAll(nodes, "all nodes have met after ");
      long began = System.nanoTime();
      story.begin("load", rows);
      nodes.order(Message.of(Message.LOAD));
      Message loaded = nodes.done("loading", story);
      story.reached(rows);
      long acked = loaded.number("loaded");
      long millis = Math.max(1, millis(began));
      story.end(
          "%s entries on the disks of all their owners, in %s: %s a second"
              .formatted(
                  Story.grouped(acked), Story.since(began), Story.grouped(acked * 1_000 / millis)));
      int killed = nodes.killAll();
      story.line("kill      all " + killed + " nodes with SIGKILL, at once");
      new KeptGrid(grid, settings.nodes(), settings.owners(), settings.data(), acked).write(folder);
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("nodes", settings.nodes());
      values.put("owners", settings.owners());
      values.put("entries", loaded.number("entries"));
      values.put("acked", acked);
      values.put("killed", killed);
      values.put("load_ms", millis);
      return new Found(
          values,
          loaded.number("entries") == acked && killed == settings.nodes()
              ? List.of()
              : List.of("not every entry was there, or not every node was killed"));
    } finally {
      story.breakLine();
    }
  }

  /**
   * Brings all nodes back and looks for every entry.
   *
   * @param kept what is in the folder
   * @throws DemoFailedException if a node does not do what it should
   */
  Found restart(DemoSettings settings, KeptGrid kept)
      throws DemoFailedException, InterruptedException {
    try (Nodes nodes = new Nodes(temporary, patience)) {
      announce(settings);
      long began = System.nanoTime();
      nodes.start(settings, kept.grid(), folder, command);
      awaitAll(nodes, "all nodes are back after ");
      long back = millis(began);
      long looking = System.nanoTime();
      story.begin("look", kept.acked());
      nodes.order(Message.of(Message.CHECK));
      Message checked = nodes.done("looking for every entry", story);
      story.reached(kept.acked());
      story.end("each entry of the file was looked for, in " + Story.since(looking));
      long missing = checked.number("missing");
      long different = checked.number("different");
      long entries = checked.number("entries");
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("nodes", settings.nodes());
      values.put("acked", kept.acked());
      values.put("entries", entries);
      values.put("missing", missing);
      values.put("different", different);
      values.put("back_ms", back);
      return new Found(
          values,
          missing == 0 && different == 0 && entries == kept.acked()
              ? List.of()
              : List.of("not everything is back that was acknowledged"));
    } finally {
      story.breakLine();
    }
  }

  /** Counts the flights while the nodes start. */
  private static long count(Path data) throws UsageException {
    try (FlightFile file = FlightFile.open(data, _ -> {})) {
      while (file.next() != null) {
        // Its lines are counted by it.
      }
      return file.lines().size();
    }
  }

  private void announce(DemoSettings settings) {
    story.line(
        "Cantle demo: %d nodes, each a process with a folder in %s; durability SYNC"
            .formatted(settings.nodes(), folder));
  }

  private void awaitAll(Nodes nodes, String met) throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("start", 1);
    nodes.awaitAll();
    story.end(met + Story.since(began));
  }

  private static long millis(long began) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }
}
