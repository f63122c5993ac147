package io.cantle.cli.demo;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Durability;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.cli.console.UsageException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The program of a demo node, which runs in a process of its own: it joins the grid, receives
 * orders from the conductor on stdin, and reports on stdout. The process ends with its input, so no
 * node outlives the demo, however the demo ends.
 *
 * <p><b>Threading:</b> the main thread works; another thread reads the orders.
 */
public final class DemoNode {
  private static final System.Logger LOGGER = System.getLogger(DemoNode.class.getName());
  private static final int PROGRESS_STEP = 5_000;
  private static final long AWAIT_ALL_NANOS = 60_000_000_000L;
  private static final int FAILED_STATUS = 1;
  private static final int ABANDONED_STATUS = 3;

  private final DemoNodeSettings settings;
  private final PrintStream conductor;
  private final BlockingQueue<DemoMessage> orders = new ArrayBlockingQueue<>(16);

  private DemoNode(DemoNodeSettings settings, PrintStream conductor) {
    this.settings = settings;
    this.conductor = conductor;
  }

  /**
   * Runs a node until its input ends. The arguments are those of {@link
   * DemoNodeSettings#toArguments}.
   */
  public static void main(String... words) {
    PrintStream conductor = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    // Nothing else that this process prints may get between the messages.
    System.setOut(System.err);
    DemoNode node = new DemoNode(DemoNodeSettings.parse(words), conductor);
    Thread.ofPlatform().daemon().name("cantle-demo-orders").start(() -> node.readOrders(System.in));
    try {
      node.work();
    } catch (UsageException | RuntimeException | InterruptedException exception) {
      // The conductor shows one line; the stack trace is in the log.
      LOGGER.log(System.Logger.Level.ERROR, "the node failed", exception);
      node.send(DemoMessage.of(DemoMessage.FAILED).with("text", reason(exception)));
      Runtime.getRuntime().halt(FAILED_STATUS);
    }
  }

  private void readOrders(InputStream in) {
    try (BufferedInputStream buffered = new BufferedInputStream(in)) {
      for (Optional<DemoMessage> order = DemoMessage.read(buffered);
          order.isPresent();
          order = DemoMessage.read(buffered)) {
        orders.put(order.get());
      }
    } catch (IOException exception) {
      LOGGER.log(System.Logger.Level.ERROR, "no more orders can be read", exception);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
    // The node does not leave the grid: every node of the demo ends now, so no node could take its
    // entries.
    Runtime.getRuntime().halt(ABANDONED_STATUS);
  }

  private void work() throws UsageException, InterruptedException {
    GridConfig config =
        GridConfig.named(settings.grid())
            .nodeName(settings.name())
            .ports(settings.port(), 0)
            .seeds(
                settings.ports().stream()
                    .map(port -> new InetSocketAddress(DemoSettings.ADDRESS, port))
                    .toList())
            .initialMembers(settings.ports().size())
            .store(settings.store());
    Grid grid = Grid.join(config);
    int segments = CacheConfig.distributed().segments();
    CacheConfig flights =
        new CacheConfig(settings.mode(), settings.owners(), segments)
            .container(settings.container());
    Cache<FlightKey, Flight> cache =
        grid.cache(
            "flights", settings.store() == null ? flights : flights.durability(Durability.SYNC));
    awaitAll(grid);
    send(DemoMessage.of(DemoMessage.JOINED).with("members", grid.members().size()));

    Map<FlightKey, Integer> keys = Map.of();
    while (true) {
      DemoMessage order = orders.take();
      switch (order.word()) {
        case DemoMessage.LOAD -> keys = load(cache);
        case DemoMessage.STREAM -> stream(cache);
        case DemoMessage.ROUTES -> routes(cache, grid.cache("routes"));
        case DemoMessage.PUBLISH -> publish(cache, grid);
        case DemoMessage.CHECK -> countEntries(cache);
        case DemoMessage.ITERATE ->
            iterate(cache, new DeliveryTracker(keys), order.hasWord("kill", "true"));
        default -> throw new IllegalStateException("unknown order \"" + order.toLine() + "\"");
      }
    }
  }

  /** Puts every flight of the file; returns their keys, each with its line number. */
  private Map<FlightKey, Integer> load(Cache<FlightKey, Flight> cache) throws UsageException {
    // The conductor reads the file too, and reports malformed rows.
    try (FlightFile file = FlightFile.open(settings.data(), _ -> {})) {
      FlightLoader.load(file, cache::putAllAsync, progress());
      send(
          DemoMessage.of(DemoMessage.DONE)
              .with("entries", cache.mappingCount())
              .with("loaded", file.lines().size()));
      return file.lines();
    }
  }

  /** Waits until all nodes are members, because restarted nodes join one by one. */
  private void awaitAll(Grid grid) throws InterruptedException {
    long deadline = System.nanoTime() + AWAIT_ALL_NANOS;
    while (grid.members().size() < settings.ports().size() && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
  }

  /** Checks that every flight of the file is in the cache. */
  private void countEntries(Cache<FlightKey, Flight> cache) throws UsageException {
    LongConsumer progress = progress();
    Map<FlightKey, Flight> there = new HashMap<>();
    try (CloseableIterator<Map.Entry<FlightKey, Flight>> entries = cache.entrySet().iterator()) {
      while (entries.hasNext()) {
        Map.Entry<FlightKey, Flight> entry = entries.next();
        there.put(entry.getKey(), entry.getValue());
        progress.accept(there.size());
      }
    }
    long missing = 0;
    long different = 0;
    try (FlightFile file = FlightFile.open(settings.data(), _ -> {})) {
      for (FlightRow row = file.next(); row != null; row = file.next()) {
        Flight found = there.get(row.key());
        missing += found == null ? 1 : 0;
        different += found != null && !found.equals(row.flight()) ? 1 : 0;
      }
    }
    send(
        DemoMessage.of(DemoMessage.DONE)
            .with("entries", there.size())
            .with("missing", missing)
            .with("different", different));
  }

  private void stream(Cache<FlightKey, Flight> cache) {
    Map<Integer, Map<DepartureStatus, Long>> byHour =
        cache.entrySet().stream()
            .collect(
                () ->
                    Collectors.groupingBy(
                        entry -> entry.getKey().scheduledDeparture().getHour(),
                        Collectors.groupingBy(
                            entry -> entry.getValue().departure(), Collectors.counting())));
    DepartureCounts counts = new DepartureCounts();
    byHour.forEach(
        (hour, departures) ->
            departures.forEach((departure, count) -> counts.add(hour, departure, count)));
    send(DemoMessage.of(DemoMessage.DONE).with("departures", counts.toText()));
  }

  /** Counts the flights of each route into a cache, whose owners select the busiest routes. */
  private void routes(Cache<FlightKey, Flight> cache, Cache<String, Long> counts) {
    counts.putAll(
        cache.entrySet().stream()
            .collect(
                () ->
                    Collectors.groupingBy(
                        entry -> RouteCount.routeOf(entry.getKey(), entry.getValue()),
                        Collectors.counting())));
    List<RouteCount> busiest =
        counts.entrySet().stream()
            .map(count -> new RouteCount(count.getKey(), count.getValue()))
            .sorted()
            .limit(RouteCount.TOP_COUNT)
            .toList();
    send(DemoMessage.of(DemoMessage.DONE).with("routes", RouteCount.toText(busiest)));
  }

  private void publish(Cache<FlightKey, Flight> cache, Grid grid) throws InterruptedException {
    SlowSubscriber subscriber = new SlowSubscriber(grid, progress());
    cache.keySet().stream().publisher().subscribe(subscriber);
    DemoResult.Publication publication = subscriber.await();
    send(
        DemoMessage.of(DemoMessage.DONE)
            .with("seen", publication.seen())
            .with("duplicates", publication.duplicates())
            .with("maxBufferedBytes", publication.maxBufferedBytes()));
  }

  private void iterate(Cache<FlightKey, Flight> cache, DeliveryTracker tracker, boolean kill)
      throws InterruptedException {
    LongConsumer progress = progress();
    boolean killed = false;
    try (CloseableIterator<Map.Entry<FlightKey, Flight>> entries = cache.entrySet().iterator()) {
      while (entries.hasNext()) {
        tracker.recordDelivery(entries.next().getKey());
        progress.accept(tracker.seenCount());
        if (kill && !killed && tracker.isVictimDue()) {
          killed = awaitKill(tracker, cache);
        }
      }
    }
    send(
        DemoMessage.of(DemoMessage.DONE)
            .with("expected", tracker.expectedCount())
            .with("seen", tracker.seenCount())
            .with("duplicates", tracker.duplicateCount())
            .with("missing", tracker.missingCount())
            .with("unexpected", tracker.unexpectedCount()));
  }

  /** Asks the conductor to kill another node, and waits until it is dead. */
  private boolean awaitKill(DeliveryTracker tracker, Cache<FlightKey, Flight> cache)
      throws InterruptedException {
    Optional<DeliveryTracker.Victim> victim = tracker.chooseVictim(cache::owners, settings.name());
    if (victim.isEmpty()) {
      return false;
    }
    send(
        DemoMessage.of(DemoMessage.VICTIM)
            .with("node", victim.get().node())
            .with("seen", tracker.seenCount())
            .with("unseenKeys", victim.get().unseenKeys()));
    DemoMessage answer = orders.take();
    if (!answer.hasWord(DemoMessage.CONTINUE)) {
      throw new IllegalStateException(
          "\"" + answer.toLine() + "\" arrived in the middle of an iteration");
    }
    return true;
  }

  private LongConsumer progress() {
    long[] next = {PROGRESS_STEP};
    return count -> {
      if (count >= next[0]) {
        next[0] = count + PROGRESS_STEP;
        send(DemoMessage.of(DemoMessage.PROGRESS).with("count", count));
      }
    };
  }

  private void send(DemoMessage message) {
    conductor.println(message.toLine());
  }

  private static String reason(Throwable exception) {
    @Nullable String message = exception.getMessage();
    return message == null ? exception.getClass().getName() : message;
  }
}
