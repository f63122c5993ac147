package io.cantle.chaos;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A node of the black box, a process of its own: joins the grid and does what the conductor orders
 * on stdin, answering on stdout. Its process ends with its input, so no node outlives the
 * conductor, however that ends.
 *
 * <p><b>Threading:</b> the main thread reads orders; each is obeyed on a virtual thread.
 */
public final class ChaosNode {
  private static final System.Logger LOGGER = System.getLogger(ChaosNode.class.getName());
  private static final int ABANDONED_STATUS = 3;
  private static final int FAILED_STATUS = 1;
  private static final long AGAIN_NANOS = 200_000_000L;
  private static final int COUNT_PERIOD_MILLIS = 1_000;
  private static final long PROBE_PERIOD_NANOS = 10_000_000L;
  private static final int MOST_ORDERS = 100;

  private final NodeSettings settings;
  private final PrintStream conductor;
  private final Grid grid;
  private final Cache<String, Long> cache;
  private final Workers workers;

  private ChaosNode(
      NodeSettings settings,
      PrintStream conductor,
      Grid grid,
      Cache<String, Long> cache,
      Workers workers) {
    this.settings = settings;
    this.conductor = conductor;
    this.grid = grid;
    this.cache = cache;
    this.workers = workers;
  }

  /** Runs a node until its input ends; the words are those of {@link NodeSettings#words}. */
  public static void main(String... words) throws IOException {
    PrintStream conductor = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    // Whatever else is printed in this process must not get between the answers.
    System.setOut(System.err);
    NodeSettings settings = NodeSettings.parse(words);
    BlockingQueue<JsonLine> orders = new ArrayBlockingQueue<>(MOST_ORDERS);
    Thread.ofPlatform()
        .daemon()
        .name("cantle-chaos-node")
        .start(() -> live(settings, conductor, orders));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      orders.add(JsonLine.parse(line));
    }
    // Not a leave: who orders nothing more has ended, and so has this run.
    Runtime.getRuntime().halt(ABANDONED_STATUS);
  }

  private static void live(
      NodeSettings settings, PrintStream conductor, BlockingQueue<JsonLine> orders) {
    try {
      Grid grid = insisting("join", () -> join(settings));
      Cache<String, Long> cache =
          insisting(
              "open the cache",
              () -> grid.cache("chaos", CacheConfig.distributed().owners(settings.owners())));
      HistoryWriter writer =
          new HistoryWriter(settings.folder().resolve(settings.file() + ".jsonl"));
      ChaosNode node =
          new ChaosNode(settings, conductor, grid, cache, new Workers(settings, cache, writer));
      say(conductor, JsonLine.empty().with("say", "joined").with("time", System.nanoTime()));
      node.obey(orders);
    } catch (IOException | RuntimeException e) {
      giveUp(conductor, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** While the grid has no majority nobody lets a node in: it tries again until somebody does. */
  private static <T> T insisting(String what, Supplier<T> attempt) {
    while (true) {
      try {
        return attempt.get();
      } catch (GridException e) {
        LOGGER.log(System.Logger.Level.WARNING, "cannot " + what + " yet, tries again", e);
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  private static Grid join(NodeSettings settings) {
    return Grid.join(
        GridConfig.named(settings.grid())
            .nodeName(settings.name())
            .bindAddress(settings.address())
            .ports(settings.port(), 0)
            .seeds(settings.seeds())
            .initialMembers(settings.members() / 2 + 1));
  }

  /** Has orders obeyed as they come, and tells from time to time how far the clients are. */
  private void obey(BlockingQueue<JsonLine> orders) throws InterruptedException {
    while (true) {
      JsonLine order = orders.poll(COUNT_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
      if (order != null) {
        Thread.ofVirtual().start(() -> obey(order));
      }
      say(
          conductor,
          JsonLine.empty().with("say", "count").with("operations", workers.log().ended()));
    }
  }

  private void obey(JsonLine order) {
    JsonLine answer = JsonLine.empty().with("say", "answer").with("id", order.number("id"));
    try {
      switch (Order.valueOf(order.text("order"))) {
        case FILL -> fill();
        case WORK -> workers.start();
        case STOP -> answer = answer.with("hanging", workers.stop());
        case STATE -> answer = state(answer);
        case OWNERS ->
            answer = answer.with("owners", String.join(" ", cache.owners(order.text("key"))));
        case PROBE -> answer = probe(order.text("key"), answer);
        case READ_ALL -> workers.readAll((int) order.number("part"), (int) order.number("parts"));
        case LEAVE -> {
          workers.stop();
          grid.close();
          say(conductor, answer.with("left", System.nanoTime()));
          Runtime.getRuntime().halt(0);
        }
      }
      say(conductor, answer);
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot obey " + order, e);
      say(conductor, answer.with("error", e.toString()));
    }
  }

  private void fill() {
    Keys.stable().forEach(key -> cache.put(key, 1L));
  }

  private JsonLine state(JsonLine answer) {
    return answer
        .with("members", grid.members().size())
        .with("names", String.join(" ", grid.members()))
        .with("settled", grid.settled() ? 1 : 0);
  }

  private JsonLine probe(String key, JsonLine answer) {
    for (long tries = 1; true; tries++) {
      try {
        cache.put(key, tries);
        return answer.with("time", System.nanoTime()).with("tries", tries);
      } catch (GridException e) {
        if (tries == 1) {
          LOGGER.log(System.Logger.Level.INFO, "probe of {0}: {1}", key, e.toString());
        }
        // Who is cut off refuses at once.
        LockSupport.parkNanos(PROBE_PERIOD_NANOS);
      }
    }
  }

  private static void say(PrintStream conductor, JsonLine line) {
    conductor.println(line.toString());
  }

  private static void giveUp(PrintStream conductor, Exception error) {
    LOGGER.log(System.Logger.Level.ERROR, "the node gives up", error);
    say(conductor, JsonLine.empty().with("say", "failed").with("error", error.toString()));
    Runtime.getRuntime().halt(FAILED_STATUS);
  }

  @Override
  public String toString() {
    return settings.file();
  }
}
