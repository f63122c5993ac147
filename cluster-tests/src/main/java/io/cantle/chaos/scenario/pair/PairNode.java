package io.cantle.chaos.scenario.pair;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Durability;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A node of a grid of two, in a process of its own.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is executed on a virtual thread.
 */
public final class PairNode {
  /** How long a node waits to be admitted, and a call for an answer. */
  static final Duration TIMEOUT = Duration.ofSeconds(6);

  /** The keys that exist in the end: every third was removed. */
  static final int KEYS = 150;

  private static final int REMOVED_ONE_IN = 3;
  private static final int SEGMENTS = 16;
  private static final int FIRST_HOST = 30;
  private static final int PLACES = 3;

  private final Grid grid;
  private final Cache<String, Integer> cache;

  private PairNode(Grid grid, Cache<String, Integer> cache) {
    this.grid = grid;
    this.cache = cache;
  }

  /** Returns the address at which the node at a place listens. */
  static InetAddress address(int place) {
    return InetAddress.ofLiteral("127.0.0." + (FIRST_HOST + place));
  }

  /**
   * Runs a node until its input ends: the grid, its name, its place, the port, the folder of its
   * store or an empty word.
   */
  public static void main(String... words) {
    ChildOrders orders = ChildOrders.takeOver();
    Path store = words[4].isEmpty() ? null : Path.of(words[4]);
    int port = Integer.parseInt(words[3]);
    GridConfig config =
        GridConfig.named(words[0])
            .nodeName(words[1])
            .bindAddress(address(Integer.parseInt(words[2])))
            .ports(port, 0)
            .seeds(
                IntStream.range(0, PLACES)
                    .mapToObj(place -> new InetSocketAddress(address(place), port))
                    .toList())
            .leaveTimeout(Duration.ofSeconds(20))
            .timeout(TIMEOUT);
    long began = System.nanoTime();
    try {
      Grid grid = Grid.join(store == null ? config : config.store(store));
      CacheConfig cache = CacheConfig.distributed().owners(2).segments(SEGMENTS);
      PairNode node =
          new PairNode(
              grid, grid.cache("pair", store == null ? cache : cache.durability(Durability.SYNC)));
      orders.reportReady(JsonLine.empty());
      orders.serveOrders(node::obey);
    } catch (GridException e) {
      orders.reportReady(
          JsonLine.empty()
              .with("refused", String.valueOf(e.getMessage()))
              .with("millis", (System.nanoTime() - began) / 1_000_000));
    } catch (RuntimeException e) {
      orders.reportFailure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private JsonLine obey(String order, JsonLine details) {
    return switch (order) {
      case "state" ->
          JsonLine.empty()
              .with("members", grid.members().size())
              .with("settled", grid.settled() ? 1 : 0);
      case "load" -> {
        load();
        yield JsonLine.empty();
      }
      case "change" -> {
        change();
        yield JsonLine.empty();
      }
      case "check" -> check();
      case "recover" -> recover(Arrays.asList(details.text("gone").split(",", -1)));
      case "leave" -> {
        grid.close();
        Runtime.getRuntime().halt(0);
        yield JsonLine.empty();
      }
      default -> throw new IllegalArgumentException("no order " + order);
    };
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key-%03d", number);
  }

  private static boolean isRemoved(int number) {
    return number % REMOVED_ONE_IN == 0;
  }

  /** Gives every key an earlier value, or one it is not to have in the end. */
  private void load() {
    for (int number = 0; number < KEYS; number++) {
      cache.put(key(number), -1);
    }
  }

  /** Writes what must exist from then on. */
  private void change() {
    for (int number = 0; number < KEYS; number++) {
      if (isRemoved(number)) {
        cache.remove(key(number));
      } else {
        cache.put(key(number), number);
      }
    }
  }

  /** Checks that everything is there, by every way to read, and can be written. */
  private JsonLine check() {
    try {
      long wrong = 0;
      for (int number = 0; number < KEYS; number++) {
        Integer value = cache.get(key(number));
        wrong +=
            isRemoved(number)
                ? (value == null ? 0 : 1)
                : (value == null || value != number ? 1 : 0);
      }
      long removed = IntStream.range(0, KEYS).filter(PairNode::isRemoved).count();
      wrong += cache.mappingCount() == KEYS - removed ? 0 : 1;
      wrong += iterated() == KEYS - removed ? 0 : 1;
      for (int number = 0; number < KEYS; number++) {
        if (!isRemoved(number)) {
          cache.put(key(number), number);
        }
      }
      return JsonLine.empty().with("wrong", wrong);
    } catch (GridException e) {
      return JsonLine.empty()
          .with("failure", e.getClass().getSimpleName())
          .with("text", String.valueOf(e.getMessage()));
    }
  }

  private long iterated() {
    long count = 0;
    try (CloseableIterator<String> keys = cache.keySet().iterator()) {
      while (keys.hasNext()) {
        String _ = keys.next();
        count++;
      }
    }
    return count;
  }

  private JsonLine recover(List<String> gone) {
    try {
      grid.recoverVoters(gone);
      return JsonLine.empty();
    } catch (IllegalStateException | GridException e) {
      return JsonLine.empty().with("text", String.valueOf(e.getMessage()));
    }
  }
}
