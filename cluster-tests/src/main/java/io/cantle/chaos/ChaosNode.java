package io.cantle.chaos;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A node of the black box, in a process of its own. It joins the grid and executes the orders that
 * the conductor sends through {@link ChildOrders}.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is executed on a virtual thread.
 */
public final class ChaosNode {
  private static final System.Logger LOGGER = System.getLogger(ChaosNode.class.getName());
  private static final long RETRY_NANOS = 200_000_000L;
  private static final int COUNT_PERIOD_MILLIS = 1_000;
  private static final long PROBE_PERIOD_NANOS = 10_000_000L;

  private final ChaosNodeSettings settings;
  private final ChildOrders orders;
  private final Grid grid;
  private final Cache<String, Long> cache;
  private final NodeClients workers;

  private ChaosNode(
      ChaosNodeSettings settings,
      ChildOrders orders,
      Grid grid,
      Cache<String, Long> cache,
      NodeClients workers) {
    this.settings = settings;
    this.orders = orders;
    this.grid = grid;
    this.cache = cache;
    this.workers = workers;
  }

  /**
   * Runs a node until its input ends; the arguments are those of {@link
   * ChaosNodeSettings#toArguments}.
   */
  public static void main(String... words) {
    ChildOrders orders = ChildOrders.takeOver();
    ChaosNodeSettings settings = ChaosNodeSettings.parse(words);
    try {
      runNode(settings, orders);
    } catch (IOException | RuntimeException e) {
      orders.reportFailure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void runNode(ChaosNodeSettings settings, ChildOrders orders)
      throws IOException, InterruptedException {
    Grid grid = retry("join", () -> join(settings));
    Cache<String, Long> cache =
        retry(
            "open the cache",
            () -> grid.cache("chaos", CacheConfig.distributed().owners(settings.owners())));
    HistoryWriter writer =
        new HistoryWriter(settings.folder().resolve(settings.historyFile() + ".jsonl"));
    ChaosNode node =
        new ChaosNode(
            settings,
            orders,
            grid,
            cache,
            retry("open the cache", () -> new NodeClients(settings, grid, cache, writer)));
    orders.reportReady(JsonLine.empty().with("time", System.nanoTime()));
    node.handleOrder();
  }

  /** Retries an action until it succeeds: no node is admitted while the grid has no majority. */
  private static <T> T retry(String action, Supplier<T> attempt) {
    while (true) {
      try {
        return attempt.get();
      } catch (GridException e) {
        LOGGER.log(System.Logger.Level.WARNING, "cannot " + action + " yet, tries again", e);
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  private static Grid join(ChaosNodeSettings settings) {
    return Grid.join(
        GridConfig.named(settings.grid())
            .nodeName(settings.name())
            .bindAddress(settings.address())
            .ports(settings.port(), 0)
            .seeds(settings.seeds())
            .initialMembers(settings.members() / 2 + 1));
  }

  /** Executes orders as they arrive, and reports from time to time how far the clients are. */
  private void handleOrder() throws InterruptedException {
    while (true) {
      orders.serveNext(this::handleOrder, COUNT_PERIOD_MILLIS);
      orders.writeMessage("count", JsonLine.empty().with("operations", workers.log().endedCalls()));
    }
  }

  private JsonLine handleOrder(String order, JsonLine details) {
    JsonLine answer = JsonLine.empty();
    return switch (NodeOrder.valueOf(order)) {
      case FILL -> {
        loadKeys();
        yield answer;
      }
      case WORK -> {
        workers.startClients();
        yield answer;
      }
      case STOP -> answer.with("hanging", workers.stopClients());
      case STATE -> describeState(answer);
      case OWNERS -> answer.with("owners", String.join(" ", cache.owners(details.text("key"))));
      case PROBE -> probeKey(details.text("key"), answer);
      case READ_ALL -> {
        workers.readPart((int) details.number("part"), (int) details.number("parts"));
        yield answer;
      }
      case LEAVE -> {
        workers.stopClients();
        grid.close();
        Runtime.getRuntime().halt(0);
        yield answer;
      }
    };
  }

  private void loadKeys() {
    KeyGenerations.stableKeys().forEach(key -> cache.put(key, 1L));
    workers.fill();
  }

  private JsonLine describeState(JsonLine answer) {
    return answer
        .with("members", grid.members().size())
        .with("names", String.join(" ", grid.members()))
        .with("settled", grid.settled() ? 1 : 0);
  }

  private JsonLine probeKey(String key, JsonLine answer) {
    for (long tries = 1; true; tries++) {
      try {
        cache.put(key, tries);
        return answer.with("time", System.nanoTime()).with("tries", tries);
      } catch (GridException e) {
        if (tries == 1) {
          LOGGER.log(System.Logger.Level.INFO, "probe of {0}: {1}", key, e.toString());
        }
        // A node that is cut off refuses at once.
        LockSupport.parkNanos(PROBE_PERIOD_NANOS);
      }
    }
  }

  @Override
  public String toString() {
    return settings.historyFile();
  }
}
