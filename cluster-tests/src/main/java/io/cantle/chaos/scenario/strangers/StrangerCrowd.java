package io.cantle.chaos.scenario.strangers;

import io.cantle.chaos.process.ChildOrders;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ThreeNodeGrid;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The strangers, a process of their own: they would be on another machine, so what they compute is
 * not to be taken from the nodes' time.
 *
 * <p><b>Threading:</b> the main thread waits for orders; each is obeyed on a virtual thread.
 */
public final class StrangerCrowd {
  private StrangerCrowd() {}

  /** Runs until its input ends; the words are the port of node 0 and a seed. */
  public static void main(String... words) throws InterruptedException {
    ChildOrders orders = ChildOrders.takeOver();
    List<InetSocketAddress> targets = ThreeNodeGrid.addresses(Integer.parseInt(words[0]));
    StrangerAttack attack = new StrangerAttack(targets, Long.parseLong(words[1]));
    orders.reportReady(JsonLine.empty());
    orders.serveOrders(
        (order, details) -> {
          switch (order) {
            case "begin" -> attack.start();
            case "count" -> {}
            default -> throw new IllegalArgumentException("order " + order);
          }
          return JsonLine.empty()
              .with("connections", attack.connections())
              .with("frames", attack.frames())
              .with("noiseBytes", attack.noiseBytes())
              .with("unrefused", attack.unrefused())
              .with("kept", attack.kept());
        });
  }
}
