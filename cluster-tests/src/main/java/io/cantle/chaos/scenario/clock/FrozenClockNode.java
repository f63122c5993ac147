package io.cantle.chaos.scenario.clock;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A node of {@link FrozenClock}, in a process of its own. It increments its share of the counters
 * and, when ordered, reads those it owns as fast as it can.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is executed on a virtual thread.
 */
public final class FrozenClockNode {
  /** How many counters there are. */
  static final int COUNTERS = 40;

  private static final String CACHE = "counters";
  private static final int OWNERS = 3;
  private static final int FIRST_HOST = 10;
  private static final int WRITERS = 4;
  private static final long BETWEEN_WRITES_NANOS = 50_000_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final int place;
  private final int nodes;
  private final Grid grid;
  private final Cache<Integer, Long> cache;
  private final AckedCounters acked;
  private final HotReaders readers;

  private FrozenClockNode(
      int place, int nodes, Grid grid, Cache<Integer, Long> cache, AckedCounters acked) {
    this.place = place;
    this.nodes = nodes;
    this.grid = grid;
    this.cache = cache;
    this.acked = acked;
    this.readers = new HotReaders(cache, name(place), acked);
  }

  /** Returns the name of the node at a place. */
  static String name(int place) {
    return "node-" + place;
  }

  /** Runs a node until its input ends: its place, how many there are, the port, the counters. */
  public static void main(String... words) {
    ChildOrders orders = ChildOrders.takeOver();
    try {
      int place = Integer.parseInt(words[0]);
      int nodes = Integer.parseInt(words[1]);
      Grid grid = join(place, nodes, Integer.parseInt(words[2]));
      Cache<Integer, Long> cache =
          grid.cache(CACHE, CacheConfig.distributed().owners(OWNERS).segments(COUNTERS));
      AckedCounters acked = AckedCounters.map(Path.of(words[3]), COUNTERS);
      FrozenClockNode node = new FrozenClockNode(place, nodes, grid, cache, acked);
      node.write();
      orders.reportReady(JsonLine.empty());
      orders.serveOrders(node::obey);
    } catch (IOException | RuntimeException e) {
      orders.reportFailure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Grid join(int place, int nodes, int port) {
    return Grid.join(
        GridConfig.named("frozen-clock")
            .nodeName(name(place))
            .bindAddress(address(place))
            .ports(port, 0)
            .seeds(
                IntStream.range(0, nodes)
                    .mapToObj(other -> new InetSocketAddress(address(other), port))
                    .toList())
            .initialMembers(nodes)
            .timeout(TIMEOUT));
  }

  /** Returns the address at which the node at a place listens. */
  static InetAddress address(int place) {
    return InetAddress.ofLiteral("127.0.0." + (FIRST_HOST + place));
  }

  private JsonLine obey(String order, JsonLine details) throws InterruptedException {
    JsonLine answer = JsonLine.empty();
    return switch (order) {
      case "state" ->
          answer
              .with("members", grid.members().size())
              .with("settled", grid.settled() ? 1 : 0)
              .with("nanoTime", System.nanoTime());
      case "read" -> {
        readers.start();
        yield answer.with("owned", readers.owned());
      }
      case "stop-reading" -> readers.stop();
      default -> throw new IllegalArgumentException("no order " + order);
    };
  }

  /** Increments counters for ever; threads share the counters of this node. */
  private void write() {
    int[] own = IntStream.range(0, COUNTERS).filter(counter -> counter % nodes == place).toArray();
    for (int i = 0; i < WRITERS; i++) {
      int first = i;
      Thread.ofVirtual()
          .start(
              () -> {
                for (int next = first; true; next += WRITERS) {
                  count(own[next % own.length]);
                  LockSupport.parkNanos(BETWEEN_WRITES_NANOS);
                }
              });
    }
  }

  private void count(int counter) {
    try {
      Long value = cache.merge(counter, 1L, Long::sum);
      if (value != null) {
        acked.acked(counter, value);
      }
    } catch (GridException e) {
      // No result was returned. The increment may have happened, which does no harm.
      LockSupport.parkNanos(BETWEEN_WRITES_NANOS);
    }
  }
}
