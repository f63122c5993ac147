package io.cantle.chaos.scenario.strangers;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LatencyHistogram;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A node that strangers knock at: it gets entries all the time, and tells how it is.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is obeyed on a virtual thread, as are
 * gets.
 */
public final class StrangersNode {
  static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");
  static final String GRID = "strangers";
  static final int NODES = 3;

  private static final int KEYS = 2_000;
  private static final int VALUE_BYTES = 200;
  private static final int CLIENTS = 2;
  private static final long PAUSE_NANOS = 4_000_000L;

  private final Grid grid;
  private final Cache<Integer, byte[]> cache;
  private final CreationCounter creations;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicLong failures = new AtomicLong();
  private volatile String lastFailure = "";

  private StrangersNode(Grid grid, CreationCounter creations) {
    this.grid = grid;
    this.cache = grid.cache("entries", CacheConfig.distributed().owners(2));
    this.creations = creations;
  }

  /** Runs a node until its input ends; the words are its number and the port of node 0. */
  public static void main(String... words) throws InterruptedException {
    ChildOrders orders = ChildOrders.takeOver();
    int number = Integer.parseInt(words[0]);
    int port = Integer.parseInt(words[1]);
    try {
      CreationCounter creations = CreationCounter.start();
      Grid grid =
          Grid.join(
              GridConfig.named(GRID)
                  .nodeName("node-" + number)
                  .bindAddress(ADDRESS)
                  .ports(port + number, 0)
                  .seeds(
                      IntStream.range(port, port + NODES)
                          .mapToObj(each -> new InetSocketAddress(ADDRESS, each))
                          .toList())
                  .initialMembers(NODES)
                  .timeout(Duration.ofSeconds(30)));
      StrangersNode node = new StrangersNode(grid, creations);
      orders.reportReady(JsonLine.empty());
      orders.serveOrders(node::obey);
    } catch (ReflectiveOperationException | RuntimeException e) {
      orders.reportFailure(e);
    }
  }

  private JsonLine obey(String order, JsonLine details) throws InterruptedException {
    return switch (order) {
      case "fill" -> {
        for (int key = 0; key < KEYS; key++) {
          cache.put(key, new byte[VALUE_BYTES]);
        }
        yield JsonLine.empty();
      }
      case "work" -> {
        for (int i = 0; i < CLIENTS; i++) {
          Thread.ofVirtual().start(() -> get(new Random(details.number("seed"))));
        }
        yield JsonLine.empty();
      }
      case "latencies" ->
          JsonLine.empty()
              .with("latencies", latencies.takeText())
              .with("failures", failures.getAndSet(0))
              .with("lastFailure", lastFailure);
      case "heap" -> JsonLine.empty().with("bytes", usedBytes());
      case "look" ->
          JsonLine.empty()
              .with("threads", ManagementFactory.getThreadMXBean().getThreadCount())
              .with("members", grid.members().size());
      case "creations" ->
          JsonLine.empty().with("total", creations.total()).with("details", creations.details());
      default -> throw new IllegalArgumentException("order " + order);
    };
  }

  /** Gets entries one after the other for as long as the process lives. */
  private void get(Random random) {
    while (true) {
      long start = System.nanoTime();
      try {
        if (cache.get(random.nextInt(KEYS)) == null) {
          fail("a value is not there");
        }
        latencies.add(System.nanoTime() - start);
      } catch (GridException e) {
        fail(e.toString());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void fail(String why) {
    failures.incrementAndGet();
    lastFailure = why;
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
