package io.cantle.cli.demo;

import io.cantle.cli.console.Story;
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
 * The demo from its start to its end, told as it goes. The conductor is no member of the grid: it
 * starts the nodes, has the first of them work, kills another, and compares what the grid says with
 * what it has read itself in the file.
 *
 * <p><b>Threading:</b> one thread, the one that calls {@link #run}.
 */
final class Conductor {
  private final DemoSettings settings;
  private final Function<NodeSettings, List<String>> command;
  private final Path temporary;
  private final Duration patience;
  private final Story story;
  private final Consumer<String> errors;

  /**
   * A demo that has not begun.
   *
   * @param command what to run for a node
   * @param temporary the folder in which the nodes' logs get one of their own
   * @param patience how long nothing may be heard of any node
   * @param story is told what happens
   * @param errors is told what is wrong with the file
   */
  Conductor(
      DemoSettings settings,
      Function<NodeSettings, List<String>> command,
      Path temporary,
      Duration patience,
      Story story,
      Consumer<String> errors) {
    this.settings = settings;
    this.command = command;
    this.temporary = temporary;
    this.patience = patience;
    this.story = story;
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
    try (FlightFile file = FlightFile.open(settings.data(), new MalformedRows(errors));
        Nodes nodes = new Nodes(temporary, patience)) {
      announce();
      nodes.start(settings, command);
      Map<String, Long> routesInFile = new HashMap<>();
      DepartureCounts inFile = read(file, routesInFile);
      awaitAll(nodes, began);
      long started = System.nanoTime();
      long entries = load(nodes, inFile.total());
      long loaded = System.nanoTime();
      DepartureCounts streamed = stream(nodes);
      long streamEnded = System.nanoTime();
      showTable(streamed);
      long routesBegan = System.nanoTime();
      List<RouteCount> routes = routes(nodes);
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
          settings.nodes(),
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
      story.breakLine();
    }
  }

  private void announce() {
    story.line(
        "Cantle demo: %s of this machine; %s of each entry; %s"
            .formatted(
                settings.nodes() == 1
                    ? "1 node, a process"
                    : Story.grouped(settings.nodes()) + " nodes, each a process",
                several(settings.owners(), "owner"),
                settings.data()));
  }

  /** Reads the file while the nodes start: what the grid says is compared with this. */
  private DepartureCounts read(FlightFile file, Map<String, Long> routes) throws UsageException {
    DepartureCounts counts = new DepartureCounts();
    for (FlightRow row = file.next(); row != null; row = file.next()) {
      counts.add(row.key().scheduledDeparture().getHour(), row.flight().departure(), 1);
      routes.merge(RouteCount.route(row.key(), row.flight()), 1L, Long::sum);
    }
    if (counts.total() == 0) {
      throw new UsageException("there is no flight in " + settings.data());
    }
    story.line(
        "%-10s%s flights, %s of them cancelled; %s malformed"
            .formatted(
                "file",
                Story.grouped(counts.total()),
                Story.grouped(counts.total(Departure.CANCELLED)),
                several(file.malformedCount(), "row")));
    return counts;
  }

  private void awaitAll(Nodes nodes, long began) throws DemoFailedException, InterruptedException {
    story.begin("start", 1);
    nodes.awaitAll();
    String met = settings.nodes() == 1 ? "the node is up after " : "all nodes have met after ";
    story.end(met + Story.since(began));
    for (NodeProcess node : nodes.all()) {
      story.detail("%s  process %s, port %s".formatted(node.name(), node.pid(), node.port()));
    }
  }

  private long load(Nodes nodes, long rows) throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("load", rows);
    nodes.order(Message.of(Message.LOAD));
    long entries = nodes.done("loading", story).number("entries");
    story.reached(rows);
    long perSecond = entries * 1_000 / Math.max(1, millis(began, System.nanoTime()));
    story.end(
        "%s entries in %s: %s a second"
            .formatted(Story.grouped(entries), Story.since(began), Story.grouped(perSecond)));
    return entries;
  }

  private DepartureCounts stream(Nodes nodes) throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("stream", 1);
    nodes.order(Message.of(Message.STREAM));
    DepartureCounts counts =
        DepartureCounts.parse(nodes.done("streaming", story).text("departures"));
    String who =
        settings.nodes() == 1
            ? "the node counted all entries"
            : "every node counted the entries it is primary of";
    story.end(who + ", in " + Story.since(began));
    return counts;
  }

  private void showTable(DepartureCounts counts) {
    story.line("");
    story.line("Share of delayed departures by scheduled hour, cancelled flights left out");
    new HourTable(counts, story.knowsBlocks()).lines().forEach(story::line);
    story.line("");
  }

  private List<RouteCount> routes(Nodes nodes) throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("routes", 1);
    nodes.order(Message.of(Message.ROUTES));
    List<RouteCount> routes = RouteCount.parse(nodes.done("counting routes", story).text("routes"));
    story.end("the busiest, picked by the owners, in " + Story.since(began));
    for (RouteCount count : routes) {
      story.detail("%s  %7s".formatted(count.route(), Story.grouped(count.flights())));
    }
    return routes;
  }

  private Publication publish(Nodes nodes, long rows)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("publish", rows);
    nodes.order(Message.of(Message.PUBLISH));
    Message message = nodes.done("publishing", story);
    story.reached(rows);
    Publication publication =
        new Publication(
            message.number("seen"),
            message.number("duplicates"),
            message.number("maxBufferedBytes"));
    story.end(
        "a slow subscriber, in %s; at most %s bytes waited for it"
            .formatted(Story.since(began), Story.grouped(publication.maxBufferedBytes())));
    return publication;
  }

  private Iteration iterate(Nodes nodes, long rows)
      throws DemoFailedException, InterruptedException {
    long began = System.nanoTime();
    story.begin("iterate", rows);
    nodes.order(Message.of(Message.ITERATE).with("kill", settings.kill()));
    Kill kill = null;
    Message message = nodes.next("iterating", story);
    if (message.is(Message.VICTIM)) {
      kill = kill(nodes, message, rows);
      message = nodes.next("iterating after " + kill.node() + " was killed", story);
    }
    if (!message.is(Message.DONE)) {
      throw nodes.failed("the iterating node said \"" + message.line() + "\"");
    }
    if (settings.kill() && kill == null) {
      throw nodes.failed(
          "no node could be killed: while the iteration was in its middle, no other node was"
              + " primary of a key not seen yet; more rows help, --no-kill does without");
    }
    story.reached(rows);
    story.end("done in " + Story.since(began));
    return new Iteration(
        message.number("expected"),
        message.number("seen"),
        message.number("duplicates"),
        message.number("missing"),
        message.number("unexpected"),
        kill);
  }

  private Kill kill(Nodes nodes, Message message, long rows)
      throws DemoFailedException, InterruptedException {
    Kill kill =
        new Kill(message.text("node"), message.number("seen"), message.number("unseenKeys"));
    int status = nodes.kill(kill.node());
    if (status != NodeProcess.SIGKILL_STATUS) {
      throw nodes.failed(
          kill.node() + " ended with status " + status + " before it could be killed");
    }
    story.detail(
        String.format(
            Locale.ROOT,
            "%s killed with SIGKILL when %,d of %,d entries were seen (%.1f %%);",
            kill.node(),
            kill.seen(),
            rows,
            100.0 * kill.seen() / rows));
    story.detail("it was primary of " + Story.grouped(kill.unseenKeys()) + " keys not seen yet");
    nodes.order(Message.of(Message.CONTINUE));
    return kill;
  }

  private static long millis(long from, long to) {
    return TimeUnit.NANOSECONDS.toMillis(to - from);
  }

  private static String several(long count, String noun) {
    return Story.grouped(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** Reports the first malformed rows; a file of the wrong kind would fill the screen. */
  private static final class MalformedRows implements Consumer<String> {
    private static final int REPORTED = 20;

    private final Consumer<String> errors;
    private int count;

    MalformedRows(Consumer<String> errors) {
      this.errors = errors;
    }

    @Override
    public void accept(String row) {
      count++;
      if (count <= REPORTED) {
        errors.accept(row);
      } else if (count == REPORTED + 1) {
        errors.accept("more malformed rows follow; they are counted and not shown");
      }
    }
  }
}
