package io.cantle.cluster;

import io.cantle.Grid;
import io.cantle.GridConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A grid of its own for one test, with a unique name and ports that were free. It closes the
 * remaining nodes, the youngest first.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class TestGrid implements AutoCloseable {
  private final GridConfig config;
  private final int firstPort;
  private final int size;
  private final List<Grid> nodes = new ArrayList<>();
  private int usedPorts;

  /** Creates a grid with room for this many nodes; none has started yet. */
  TestGrid(int size) {
    this("test-" + UUID.randomUUID(), TestPorts.neighbours(size), size);
  }

  /** Describes the same grid in another process. */
  TestGrid(String name, int firstPort, int size) {
    this.firstPort = firstPort;
    this.size = size;
    this.config =
        GridConfig.named(name)
            .seeds(
                IntStream.range(firstPort, firstPort + size)
                    .mapToObj(port -> new InetSocketAddress(TestPorts.LOOPBACK, port))
                    .toList())
            .timeout(Duration.ofSeconds(30));
  }

  /** Starts this many nodes that all know each other and form a majority. */
  static TestGrid ofSize(int size) {
    TestGrid cluster = new TestGrid(size);
    try {
      IntStream.range(0, size).forEach(_ -> cluster.join());
      cluster.awaitMembers(size);
    } catch (RuntimeException | AssertionError e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  /** Starts one more node. */
  Grid join() {
    return join(UnaryOperator.identity());
  }

  /** Starts one more node with a different configuration. */
  Grid join(UnaryOperator<GridConfig> customizer) {
    Grid node = Grid.join(customizer.apply(next()));
    nodes.add(node);
    return node;
  }

  /** Returns the configuration of the next node, here or elsewhere. */
  GridConfig next() {
    if (usedPorts == size) {
      throw new IllegalStateException("there is room for " + size + " nodes only");
    }
    return configAt(usedPorts++);
  }

  /** Returns the configuration of the node at a place. */
  GridConfig configAt(int place) {
    return config.nodeName("node-" + place).ports(firstPort + place, 0);
  }

  int firstPort() {
    return firstPort;
  }

  int size() {
    return size;
  }

  String name() {
    return config.name();
  }

  Grid node(int place) {
    return nodes.get(place);
  }

  List<Grid> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns when every node knows this many members. */
  void awaitMembers(int count) {
    ConditionWait.until(
        count + " members",
        () -> nodes.stream().allMatch(node -> node.members().size() == count),
        () -> nodes.stream().map(Grid::members).toList());
  }

  /**
   * Returns when, as far as every node knows, each segment is where it belongs. A member that has
   * just been admitted owns nothing of a cache that is opened before that.
   */
  void awaitSettled() {
    ConditionWait.until(
        "a settled grid",
        () -> nodes.stream().allMatch(Grid::settled),
        () -> nodes.stream().map(Grid::settled).toList());
  }

  /** Makes a node leave. */
  void leave(Grid node) {
    nodes.remove(node);
    node.close();
  }

  @Override
  public void close() {
    nodes.reversed().forEach(Grid::close);
    nodes.clear();
  }
}
