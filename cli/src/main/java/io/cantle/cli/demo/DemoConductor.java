package io.cantle.cli.demo;

import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import io.cantle.cli.demo.DemoResult.Iteration;
import io.cantle.cli.demo.DemoResult.Kill;
import io.cantle.cli.demo.DemoResult.Publication;
import io.cantle.cli.demo.DemoResult.Timings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs the demo from start to end and prints its progress. The conductor is no member of the grid.
 * It starts the nodes, has the first of them work, kills another, and compares the results of the
 * grid with what it has read from the file itself.
 *
 * <p><b>Threading:</b> one thread, the one that calls {@link #run}.
 */
final class DemoConductor {
  private final DemoSettings settings;
  private final Function<DemoNodeSettings, List<String>> command;
  private final Path temporaryDirectory;
  private final Duration timeout;
  private final ProgressPrinter progress;
  private final Consumer<String> errors;

  /**
   * Creates a demo that has not started.
   *
   * @param command makes the command line of a node
   * @param temporaryDirectory the folder in which the nodes' logs get a folder of their own
   * @param timeout how long to wait for the next message of any node
   * @param progress prints what happens
   * @param errors receives what is wrong with the file
   */
  DemoConductor(
      DemoSettings settings,
      Function<DemoNodeSettings, List<String>> command,
      Path temporaryDirectory,
      Duration timeout,
      ProgressPrinter progress,
      Consumer<String> errors) {
    this.settings = settings;
    this.command = command;
    this.temporaryDirectory = temporaryDirectory;
    this.timeout = timeout;
    this.progress = progress;
    this.errors = errors;
  }

  /**
   * Runs the demo; no process is left when it returns.
   *
   * @throws UsageException if the file cannot be read
   * @throws DemoFailedException if a node does not do what it should
   */
  DemoResult run() throws UsageException, DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    try (FlightFile file = FlightFile.open(settings.data(), new MalformedRowReporter(errors));
        DemoCluster nodes = new DemoCluster(temporaryDirectory, timeout)) {
      announce();
      nodes.start(settings, command);
      Map<String, Long> routesInFile = new HashMap<>();
      DepartureCounts inFile = readFlights(file, routesInFile);
      awaitAll(nodes, began);
      long started = System.nanoTime();
      long entries = load(nodes, inFile.total());
      long loaded = System.nanoTime();
      DepartureCounts streamed = stream(nodes);
      long streamEnded = System.nanoTime();
      showTable(streamed);
      long routesBegan = System.nanoTime();
      List<RouteCount> routes = requestRoutes(nodes);
      long published = System.nanoTime();
      Publication publication = publish(nodes, inFile.total());
      long iterationBegan = System.nanoTime();
      Iteration iteration = iterate(nodes, inFile.total());
      long iterated = System.nanoTime();
      Timings timings =
          new Timings(
              millis(began, started),
              millis(started, loaded),
              millis(loaded, streamEnded),
              millis(routesBegan, published),
              millis(published, iterationBegan),
              millis(iterationBegan, iterated),
              millis(began, System.nanoTime()));
      return new DemoResult(
          settings.nodeCount(),
          settings.owners(),
          file.malformedCount(),
          inFile,
          entries,
          streamed,
          RouteCount.busiest(routesInFile),
          routes,
          publication,
          iteration,
          timings);
    } finally {
      progress.breakOpenLine();
    }
  }

  private void announce() {
    progress.printLine(
        "Cantle demo: %s of this machine; %s of each entry; %s"
            .formatted(
                settings.nodeCount() == 1
                    ? "1 node, a process"
                    : ProgressPrinter.formatCount(settings.nodeCount()) + " nodes, each a process",
                pluralize(settings.owners(), "owner"),
                settings.data()));
  }

  /**
   * Reads the file while the nodes start. The results of the grid are compared with these counts.
   */
  private DepartureCounts readFlights(FlightFile file, Map<String, Long> routes)
      throws UsageException {
    DepartureCounts counts = new DepartureCounts();
    for (FlightRow row = file.next(); row != null; row = file.next()) {
      counts.add(row.key().scheduledDeparture().getHour(), row.flight().departure(), 1);
      routes.merge(RouteCount.routeOf(row.key(), row.flight()), 1L, Long::sum);
    }
    if (counts.total() == 0) {
      throw new UsageException("there is no flight in " + settings.data());
    }
    progress.printLine(
        "%-10s%s flights, %s of them cancelled; %s malformed"
            .formatted(
                "file",
                ProgressPrinter.formatCount(counts.total()),
                ProgressPrinter.formatCount(counts.total(DepartureStatus.CANCELLED)),
                pluralize(file.malformedCount(), "row")));
    return counts;
  }

  private void awaitAll(DemoCluster nodes, long began)
      throws DemoFailedException, InterruptedException {
    progress.beginStep("start", 1);
    nodes.awaitAll();
    String met = settings.nodeCount() == 1 ? "the node is up after " : "all nodes have met after ";
    progress.endStep(met + ProgressPrinter.formatElapsed(began));
    for (DemoNodeProcess node : nodes.nodes()) {
      progress.printDetail(
          "%s  process %s, port %s".formatted(node.name(), node.pid(), node.port()));
    }
  }

  private long load(DemoCluster nodes, long rows) throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("load", rows);
    nodes.sendToWorker(DemoMessage.of(DemoMessage.LOAD));
    long entries = nodes.awaitDone("loading", progress).numberField("entries");
    progress.updateProgress(rows);
    long perSecond = entries * 1_000 / Math.max(1, millis(began, System.nanoTime()));
    progress.endStep(
        "%s entries in %s: %s a second"
            .formatted(
                ProgressPrinter.formatCount(entries),
                ProgressPrinter.formatElapsed(began),
                ProgressPrinter.formatCount(perSecond)));
    return entries;
  }

  private DepartureCounts stream(DemoCluster nodes)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("stream", 1);
    nodes.sendToWorker(DemoMessage.of(DemoMessage.STREAM));
    DepartureCounts counts =
        DepartureCounts.parse(nodes.awaitDone("streaming", progress).textField("departures"));
    String who =
        settings.nodeCount() == 1
            ? "the node counted all entries"
            : "every node counted the entries it is primary of";
    progress.endStep(who + ", in " + ProgressPrinter.formatElapsed(began));
    return counts;
  }

  private void showTable(DepartureCounts counts) {
    progress.printLine("");
    progress.printLine("Share of delayed departures by scheduled hour, cancelled flights left out");
    new HourTable(counts, progress.supportsBlockCharacters()).lines().forEach(progress::printLine);
    progress.printLine("");
  }

  private List<RouteCount> requestRoutes(DemoCluster nodes)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("routes", 1);
    nodes.sendToWorker(DemoMessage.of(DemoMessage.ROUTES));
    List<RouteCount> routes =
        RouteCount.parse(nodes.awaitDone("counting routes", progress).textField("routes"));
    progress.endStep(
        "the busiest, picked by the owners, in " + ProgressPrinter.formatElapsed(began));
    for (RouteCount count : routes) {
      progress.printDetail(
          "%s  %7s".formatted(count.route(), ProgressPrinter.formatCount(count.flights())));
    }
    return routes;
  }

  private Publication publish(DemoCluster nodes, long rows)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("publish", rows);
    nodes.sendToWorker(DemoMessage.of(DemoMessage.PUBLISH));
    DemoMessage message = nodes.awaitDone("publishing", progress);
    progress.updateProgress(rows);
    Publication publication =
        new Publication(
            message.numberField("seen"),
            message.numberField("duplicates"),
            message.numberField("maxBufferedBytes"));
    progress.endStep(
        "a slow subscriber, in %s; at most %s bytes waited for it"
            .formatted(
                ProgressPrinter.formatElapsed(began),
                ProgressPrinter.formatCount(publication.maxBufferedBytes())));
    return publication;
  }

  private Iteration iterate(DemoCluster nodes, long rows)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    progress.beginStep("iterate", rows);
    nodes.sendToWorker(DemoMessage.of(DemoMessage.ITERATE).with("kill", settings.kill()));
    Kill kill = null;
    DemoMessage message = nodes.nextMessage("iterating", progress);
    if (message.hasWord(DemoMessage.VICTIM)) {
      kill = killVictim(nodes, message, rows);
      message = nodes.nextMessage("iterating after " + kill.node() + " was killed", progress);
    }
    if (!message.hasWord(DemoMessage.DONE)) {
      throw nodes.failure(
          "the iterating node sent an unexpected message: \"" + message.toLine() + "\"");
    }
    if (settings.kill() && kill == null) {
      throw nodes.failure(
          "no node could be killed: in the middle of the iteration, no other node was"
              + " primary of a key not seen yet; use a file with more rows, or --no-kill");
    }
    progress.updateProgress(rows);
    progress.endStep("done in " + ProgressPrinter.formatElapsed(began));
    return new Iteration(
        message.numberField("expected"),
        message.numberField("seen"),
        message.numberField("duplicates"),
        message.numberField("missing"),
        message.numberField("unexpected"),
        kill);
  }

  private Kill killVictim(DemoCluster nodes, DemoMessage message, long rows)
      throws DemoFailedException, InterruptedException {
    Kill kill =
        new Kill(
            message.textField("node"),
            message.numberField("seen"),
            message.numberField("unseenKeys"));
    int status = nodes.kill(kill.node());
    if (status != DemoNodeProcess.SIGKILL_STATUS) {
      throw nodes.failure(
          kill.node() + " ended with status " + status + " before it could be killed");
    }
    progress.printDetail(
        String.format(
            Locale.ROOT,
            "%s killed with SIGKILL when %,d of %,d entries were seen (%.1f %%);",
            kill.node(),
            kill.seen(),
            rows,
            100.0 * kill.seen() / rows));
    progress.printDetail(
        "it was primary of "
            + ProgressPrinter.formatCount(kill.unseenKeys())
            + " keys not seen yet");
    nodes.sendToWorker(DemoMessage.of(DemoMessage.CONTINUE));
    return kill;
  }

  private static long millis(long from, long to) {
    return TimeUnit.NANOSECONDS.toMillis(to - from);
  }

  private static String pluralize(long count, String noun) {
    return ProgressPrinter.formatCount(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** Reports only the first malformed rows; a file of the wrong kind would fill the screen. */
  private static final class MalformedRowReporter implements Consumer<String> {
    private static final int MAX_REPORTED = 20;

    private final Consumer<String> errors;
    private int count;

    MalformedRowReporter(Consumer<String> errors) {
      this.errors = errors;
    }

    @Override
    public void accept(String row) {
      count++;
      if (count <= MAX_REPORTED) {
        errors.accept(row);
      } else if (count == MAX_REPORTED + 1) {
        errors.accept("more malformed rows follow; they are counted and not shown");
      }
    }
  }
}
