package io.cantle.chaos.scenario.strangers;

import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ServingNode;
import java.lang.management.ManagementFactory;
import java.util.Random;

/**
 * A node that strangers knock at: it gets entries all the time, and tells how it is.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is obeyed on a virtual thread, as are
 * gets.
 */
public final class StrangersNode {
  static final String GRID = "strangers";

  private static final int KEYS = 2_000;
  private static final int VALUE_BYTES = 200;
  private static final int CLIENTS = 2;

  private final ServingNode node;
  private final CreationCounter creations;

  private StrangersNode(ServingNode node, CreationCounter creations) {
    this.node = node;
    this.creations = creations;
  }

  /** Runs a node until its input ends; the words are its number and the port of node 0. */
  public static void main(String... words) throws InterruptedException {
    ChildOrders orders = ChildOrders.takeOver();
    try {
      CreationCounter creations = CreationCounter.start();
      StrangersNode node = new StrangersNode(ServingNode.join(GRID, words), creations);
      orders.reportReady(JsonLine.empty());
      orders.serveOrders(node::obey);
    } catch (RuntimeException e) {
      orders.reportFailure(e);
    }
  }

  private JsonLine obey(String order, JsonLine details) throws InterruptedException {
    return switch (order) {
      case "fill" -> {
        for (int key = 0; key < KEYS; key++) {
          node.cache().put(key, new byte[VALUE_BYTES]);
        }
        yield JsonLine.empty();
      }
      case "work" -> {
        for (int i = 0; i < CLIENTS; i++) {
          Random random = new Random(details.number("seed"));
          Thread.ofVirtual().start(() -> node.getForever(KEYS, random));
        }
        yield JsonLine.empty();
      }
      case "latencies" -> node.takeGets();
      case "heap" -> ServingNode.measureHeap();
      case "look" ->
          JsonLine.empty()
              .with("threads", ManagementFactory.getThreadMXBean().getThreadCount())
              .with("directBytes", directBytes())
              .with("members", node.memberCount());
      case "creations" ->
          JsonLine.empty().with("total", creations.total()).with("details", creations.details());
      default -> throw new IllegalArgumentException("order " + order);
    };
  }

  /** Memory off the heap that the transport has for buffers, as its library counts it. */
  private static long directBytes() {
    try {
      return (long)
          Class.forName("io.netty.util.internal.PlatformDependent")
              .getMethod("usedDirectMemory")
              .invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the transport's library counts memory elsewhere", e);
    }
  }
}
