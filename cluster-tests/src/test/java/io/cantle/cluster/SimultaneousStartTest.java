package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Grid;
import io.cantle.GridConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests nodes that start or close at the same time. */
@Timeout(90)
final class SimultaneousStartTest {
  private static final int NODE_COUNT = 3;

  @ParameterizedTest
  @ValueSource(ints = {1, NODE_COUNT})
  void nodesStartingTogetherFormOneGrid(int initialMembers) throws Exception {
    TestGrid cluster = new TestGrid(NODE_COUNT);
    List<Grid> nodes = startAtOnce(cluster, initialMembers);
    try {
      ConditionWait.until(
          "one grid of all",
          () -> nodes.stream().allMatch(node -> node.members().size() == NODE_COUNT),
          () -> nodes.stream().map(Grid::members).toList());
      assertThat(nodes.stream().map(Grid::members).distinct()).hasSize(1);
      nodes.getFirst().<String, Integer>cache("met").put("a", 1);
      assertThat(nodes)
          .allSatisfy(node -> assertThat(node.<String, Integer>cache("met")).containsEntry("a", 1));
    } finally {
      nodes.forEach(Grid::close);
    }
  }

  @Test
  void nodeAwaitingInitialMembersJoinsThem() throws Exception {
    TestGrid cluster = new TestGrid(2);
    List<Grid> nodes = startAtOnce(cluster, 2);
    try {
      assertThat(nodes).allSatisfy(node -> assertThat(node.members()).hasSize(2));
    } finally {
      nodes.forEach(Grid::close);
    }
  }

  /** No node waits for another to hand data to, since none stays. */
  @Test
  void nodesClosingTogetherDoNotWaitForEachOther() throws Exception {
    TestGrid cluster = TestGrid.ofSize(NODE_COUNT);
    new UnchangingEntries(1_000).putInto(cluster.node(0).cache("ending"));
    long begin = System.nanoTime();
    List<Future<?>> closing = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Grid node : cluster.nodes()) {
        closing.add(threads.submit(node::close));
      }
    }
    for (Future<?> one : closing) {
      one.get();
    }
    assertThat(System.nanoTime() - begin)
        .as("less than leaveTimeout")
        .isLessThan(cluster.configAt(0).limits().leaveTimeout().toNanos() / 2);
  }

  private static List<Grid> startAtOnce(TestGrid cluster, int initialMembers)
      throws InterruptedException, ExecutionException {
    List<Future<Grid>> starting = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int place = 0; place < cluster.size(); place++) {
        GridConfig config = cluster.configAt(place).initialMembers(initialMembers);
        starting.add(threads.submit(() -> Grid.join(config)));
      }
    }
    List<Grid> nodes = new ArrayList<>();
    for (Future<Grid> one : starting) {
      nodes.add(one.get());
    }
    return nodes;
  }
}
