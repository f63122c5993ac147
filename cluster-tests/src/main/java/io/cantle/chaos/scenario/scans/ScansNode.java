package io.cantle.chaos.scenario.scans;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A node with a small heap that gets entries all the time, and scans when it is ordered to.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is executed on a virtual thread.
 */
public final class ScansNode {
  static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");
  static final int NODES = 3;

  private static final int LONG_VALUES = 400;
  private static final int KEYS = LONG_VALUES + 200;
  private static final int LONG_VALUE_BYTES = 20_000;
  private static final int SHORT_VALUE_BYTES = 20;

  /** Each failure takes as long as its timeout, so after this many the others are not tried. */
  private static final int MAX_FAILURES = 3;

  private static final long GET_PAUSE_NANOS = 4_000_000L;
  private static final System.Logger LOGGER = System.getLogger(ScansNode.class.getName());

  private final Grid grid;
  private final Cache<Integer, byte[]> cache;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicLong failures = new AtomicLong();

  /** Iterators of which one element was read; what was read of each is at the same index. */
  private final List<Iterator<Map.Entry<Integer, byte[]>>> abandoned = new ArrayList<>();

  private final List<BitSet> seen = new ArrayList<>();

  private ScansNode(Grid grid) {
    this.grid = grid;
    this.cache = grid.cache("entries", CacheConfig.distributed().owners(2));
  }

  /** Runs a node until its input ends; the arguments are its number and the port of node 0. */
  public static void main(String... words) throws InterruptedException {
    ChildOrders orders = ChildOrders.takeOver();
    int number = Integer.parseInt(words[0]);
    int port = Integer.parseInt(words[1]);
    try {
      Grid grid =
          Grid.join(
              GridConfig.named("scans")
                  .nodeName("node-" + number)
                  .bindAddress(ADDRESS)
                  .ports(port + number, 0)
                  .seeds(
                      IntStream.range(port, port + NODES)
                          .mapToObj(each -> new InetSocketAddress(ADDRESS, each))
                          .toList())
                  .initialMembers(NODES)
                  .timeout(Duration.ofSeconds(30)));
      ScansNode node = new ScansNode(grid);
      orders.reportReady(JsonLine.empty());
      orders.serveOrders(node::obey);
    } catch (RuntimeException e) {
      orders.reportFailure(e);
    }
  }

  private JsonLine obey(String order, JsonLine details) throws InterruptedException {
    return switch (order) {
      case "fill" -> {
        fill();
        yield JsonLine.empty();
      }
      case "work" -> {
        Thread.ofPlatform().daemon().start(() -> get(new Random(details.number("seed"))));
        yield JsonLine.empty();
      }
      case "abandon" -> unfinished(abandon((int) details.number("count")));
      case "iterate" -> unfinished(iterate((int) details.number("count")));
      case "resume" -> unfinished(resume((int) details.number("count")));
      case "forget" -> {
        abandoned.clear();
        seen.clear();
        yield JsonLine.empty();
      }
      case "latencies" ->
          JsonLine.empty()
              .with("latencies", latencies.takeText())
              .with("failures", failures.getAndSet(0));
      case "heap" -> JsonLine.empty().with("bytes", usedBytes());
      case "look" -> JsonLine.empty().with("members", grid.members().size());
      default -> throw new IllegalArgumentException("order " + order);
    };
  }

  private static JsonLine unfinished(long count) {
    return JsonLine.empty().with("unfinished", count);
  }

  private void fill() {
    Random random = new Random(1);
    for (int key = 0; key < KEYS; key++) {
      byte[] value = new byte[key < LONG_VALUES ? LONG_VALUE_BYTES : SHORT_VALUE_BYTES];
      random.nextBytes(value);
      cache.put(key, value);
    }
  }

  /** Gets entries one after the other for as long as the process lives. */
  private void get(Random random) {
    while (true) {
      long start = System.nanoTime();
      try {
        if (cache.get(random.nextInt(KEYS)) == null) {
          failures.incrementAndGet();
        }
      } catch (GridException e) {
        failures.incrementAndGet();
      }
      latencies.add(System.nanoTime() - start);
      LockSupport.parkNanos(GET_PAUSE_NANOS);
    }
  }

  /** Begins iterations that nobody continues; returns how many could not be begun. */
  private long abandon(int count) {
    int failed = 0;
    for (int i = 0; i < count; i++) {
      if (failed == MAX_FAILURES) {
        return failed + (long) count - i;
      }
      try {
        Iterator<Map.Entry<Integer, byte[]>> iterator = cache.entrySet().iterator();
        BitSet one = new BitSet();
        one.set(iterator.next().getKey());
        abandoned.add(iterator);
        seen.add(one);
      } catch (GridException e) {
        failed++;
        LOGGER.log(System.Logger.Level.WARNING, "an iteration could not be begun", e);
      }
    }
    return failed;
  }

  /**
   * Iterates over all entries this many times at once; returns how many iterations did not get each
   * entry once.
   */
  private long iterate(int count) throws InterruptedException {
    AtomicLong finished = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (CloseableIterator<Map.Entry<Integer, byte[]>> all =
                        cache.entrySet().iterator()) {
                      finished.addAndGet(finishes(all, new BitSet()) ? 1 : 0);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return count - finished.get();
  }

  /** Continues abandoned iterators; returns how many did not get each entry once. */
  private long resume(int count) {
    long unfinished = 0;
    int step = Math.max(1, abandoned.size() / count);
    for (int i = 0; i < abandoned.size(); i += step) {
      unfinished += finishes(abandoned.get(i), seen.get(i)) ? 0 : 1;
    }
    return unfinished;
  }

  private static boolean finishes(Iterator<Map.Entry<Integer, byte[]>> all, BitSet keys) {
    try {
      int count = keys.cardinality();
      for (; all.hasNext(); count++) {
        keys.set(all.next().getKey());
      }
      boolean isWhole = count == KEYS && keys.cardinality() == KEYS;
      if (!isWhole) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "an iteration had {0} entries, of {1} keys",
            count,
            keys.cardinality());
      }
      return isWhole;
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.WARNING, "an iteration failed", e);
      return false;
    }
  }

  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
