package io.cantle.chaos.scenario;

import io.cantle.GridConfig;
import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LoopbackPorts;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A grid of three nodes on ports side by side, as the scenario sees it. Each node is a process of
 * its own that gets entries all the time, see {@link ServingNode}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class ThreeNodeGrid {
  /** How long a node may take to start, or to answer a short order. */
  public static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

  private static final int NODES = 3;
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

  private final int firstPort;
  private final List<ChildProcess> nodes;

  private ThreeNodeGrid(int firstPort, List<ChildProcess> nodes) {
    this.firstPort = firstPort;
    this.nodes = List.copyOf(nodes);
  }

  /**
   * Starts the nodes, which put all entries and begin to get them.
   *
   * @param options of the Java virtual machines
   * @param main the main class of a node, which hands its arguments to {@link ServingNode#join} and
   *     executes the orders {@code fill} and {@code work}
   */
  public static ThreeNodeGrid start(ScenarioRun run, List<String> options, Class<?> main)
      throws ChaosException, InterruptedException {
    long seed = run.settings().seed();
    int firstPort = LoopbackPorts.findNeighbours(NODES, new Random(seed));
    List<ChildProcess> nodes = new ArrayList<>();
    for (int number = 0; number < NODES; number++) {
      List<String> words = List.of(Integer.toString(number), Integer.toString(firstPort));
      nodes.add(run.start("node-" + number, run.javaCommand(options, main, words), news -> {}));
    }
    for (ChildProcess node : nodes) {
      node.requireReady(ANSWER_TIMEOUT);
    }
    nodes.getFirst().requireAnswer("fill", JsonLine.empty(), ANSWER_TIMEOUT);
    for (ChildProcess node : nodes) {
      node.requireAnswer("work", JsonLine.empty().with("seed", seed), ANSWER_TIMEOUT);
    }
    return new ThreeNodeGrid(firstPort, nodes);
  }

  /** Returns the configuration of a node. */
  static GridConfig config(String grid, int number, int firstPort) {
    return GridConfig.named(grid)
        .nodeName("node-" + number)
        .bindAddress(LoopbackPorts.ADDRESS)
        .ports(firstPort + number, 0)
        .seeds(addresses(firstPort))
        .initialMembers(NODES)
        .timeout(CALL_TIMEOUT);
  }

  /** Returns where the nodes listen. */
  public static List<InetSocketAddress> addresses(int firstPort) {
    return IntStream.range(firstPort, firstPort + NODES)
        .mapToObj(port -> new InetSocketAddress(LoopbackPorts.ADDRESS, port))
        .toList();
  }

  /** Returns the port of the first node. */
  public int firstPort() {
    return firstPort;
  }

  /** Returns the processes of the nodes. */
  public List<ChildProcess> nodes() {
    return nodes;
  }

  /** Adds what all nodes have measured since they were asked before; a dead node adds nothing. */
  public void takeGets(GetFigures figures) throws InterruptedException {
    for (ChildProcess node : nodes) {
      node.orderAndAwait("latencies", JsonLine.empty(), ANSWER_TIMEOUT)
          .ifPresent(answer -> figures.add(node.name(), answer));
    }
  }
}
