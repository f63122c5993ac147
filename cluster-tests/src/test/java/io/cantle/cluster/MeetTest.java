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

/** Nodes that start or end at the same time. */
@Timeout(90)
final class MeetTest {
  private static final int NODES = 3;

  @ParameterizedTest
  @ValueSource(ints = {1, NODES})
  void nodesThatStartAtOnceBecomeOneGrid(int initialMembers) throws Exception {
    Cluster cluster = new Cluster(NODES);
    List<Grid> nodes = startAtOnce(cluster, initialMembers);
    try {
      Await.until(
          "one grid of all",
          () -> nodes.stream().allMatch(node -> node.members().size() == NODES),
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
  void aNodeThatWaitsForInitialMembersIsPartOfAGridWithThem() throws Exception {
    Cluster cluster = new Cluster(2);
    List<Grid> nodes = startAtOnce(cluster, 2);
    try {
      assertThat(nodes).allSatisfy(node -> assertThat(node.members()).hasSize(2));
    } finally {
      nodes.forEach(Grid::close);
    }
  }

  /** Nobody waits for a place to hand data to, since nobody stays. */
  @Test
  void nodesThatEndAtOnceDoNotWaitForEachOther() throws Exception {
    Cluster cluster = Cluster.of(NODES);
    new Stable(1_000).putInto(cluster.node(0).cache("ending"));
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
        .isLessThan(cluster.at(0).leaveTimeout().toNanos() / 2);
  }

  private static List<Grid> startAtOnce(Cluster cluster, int initialMembers)
      throws InterruptedException, ExecutionException {
    List<Future<Grid>> starting = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int place = 0; place < cluster.size(); place++) {
        GridConfig config = cluster.at(place).initialMembers(initialMembers);
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
