package io.cantle.chaos.scenario.scans;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ServingNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node with a small heap that gets entries all the time, and scans when it is ordered to.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is executed on a virtual thread.
 */
public final class ScansNode {
  private static final int LONG_VALUES = 400;
  private static final int KEYS = LONG_VALUES + 200;
  private static final int LONG_VALUE_BYTES = 20_000;
  private static final int SHORT_VALUE_BYTES = 20;

  /** Each failure takes as long as its timeout, so after this many the others are not tried. */
  private static final int MAX_FAILURES = 3;

  private static final System.Logger LOGGER = System.getLogger(ScansNode.class.getName());

  private final ServingNode node;
  private final Cache<Integer, byte[]> cache;

  /** Iterators of which one element was read; what was read of each is at the same index. */
  private final List<Iterator<Map.Entry<Integer, byte[]>>> abandoned = new ArrayList<>();

  private final List<BitSet> seen = new ArrayList<>();

  private ScansNode(ServingNode node) {
    this.node = node;
    this.cache = node.cache();
  }

  /** Runs a node until its input ends; the arguments are its number and the port of node 0. */
  public static void main(String... words) throws InterruptedException {
    ChildOrders orders = ChildOrders.takeOver();
    try {
      ScansNode node = new ScansNode(ServingNode.join("scans", words));
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
        Random random = new Random(details.number("seed"));
        Thread.ofPlatform().daemon().start(() -> node.getForever(KEYS, random));
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
      case "latencies" -> node.takeGets();
      case "heap" -> ServingNode.measureHeap();
      case "look" -> JsonLine.empty().with("members", node.memberCount());
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
}
