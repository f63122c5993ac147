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
 * A grid of its own for one test: a name nobody else has, and ports that were free. Closes the
 * nodes that are still there, the youngest first.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class TestGrid implements AutoCloseable {
  private final GridConfig config;
  private final int firstPort;
  private final int size;
  private final List<Grid> nodes = new ArrayList<>();
  private int usedPorts;

  /** Room for so many nodes; none of them is there yet. */
  TestGrid(int size) {
    this("test-" + UUID.randomUUID(), TestPorts.neighbours(size), size);
  }

  /** The same grid, seen from another process. */
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

  /** So many nodes that all know each other and count for a majority. */
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

  /** One node more. */
  Grid join() {
    return join(UnaryOperator.identity());
  }

  /** One node more, which is configured otherwise. */
  Grid join(UnaryOperator<GridConfig> customizer) {
    Grid node = Grid.join(customizer.apply(next()));
    nodes.add(node);
    return node;
  }

  /** How the next node is to join, here or elsewhere. */
  GridConfig next() {
    if (usedPorts == size) {
      throw new IllegalStateException("there is room for " + size + " nodes only");
    }
    return configAt(usedPorts++);
  }

  /** How the node at a place joins. */
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

  /** Returns when every node knows of so many members. */
  void awaitMembers(int count) {
    ConditionWait.until(
        count + " members",
        () -> nodes.stream().allMatch(node -> node.members().size() == count),
        () -> nodes.stream().map(Grid::members).toList());
  }

  /**
   * Returns when, as far as every node knows, each segment is where it belongs. A member that has
   * just been let in owns nothing of a cache that is opened before that.
   */
  void awaitSettled() {
    ConditionWait.until(
        "a settled grid",
        () -> nodes.stream().allMatch(Grid::settled),
        () -> nodes.stream().map(Grid::settled).toList());
  }

  /** A node leaves. */
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
