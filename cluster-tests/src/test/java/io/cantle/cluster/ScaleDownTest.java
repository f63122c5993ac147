package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a grid becomes smaller by {@link Grid#close} alone. Nothing else is awaited, as when
 * an operator reduces the number of nodes.
 */
@Timeout(240)
final class ScaleDownTest {
  private static final int NODE_COUNT = 5;
  private static final int STABLE_ENTRY_COUNT = 20_000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);

  /** The remaining node is once the oldest, once the youngest, and once one in between. */
  @ParameterizedTest(name = "{0} owners, node {1} stays")
  @CsvSource({"1, 0", "1, 4", "2, 0", "2, 2", "3, 4"})
  void closingFourOfFiveNodesInSequenceLosesNothing(int owners, int staying) {
    try (TestGrid cluster = TestGrid.ofSize(NODE_COUNT)) {
      Grid stays = cluster.node(staying);
      Cache<String, Long> kept = cache(stays, owners);
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(kept);
      try (BackgroundWriters writers = new BackgroundWriters(List.of(kept), 4)) {
        writers.awaitMoreWrites(100);
        for (Grid node : cluster.nodes()) {
          if (!node.equals(stays)) {
            cluster.leave(node);
          }
        }
        writers.awaitMoreWrites(100);
        assertThat(writers.lostKeys(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      assertHoldsAll(kept, stable);
      assertThat(stays.members()).containsExactly(stays.nodeName());
    }
  }

  @ParameterizedTest(name = "{0} owners")
  @ValueSource(ints = {1, 2})
  void closingFourOfFiveNodesTogetherLosesNothing(int owners) throws Exception {
    try (TestGrid cluster = TestGrid.ofSize(NODE_COUNT)) {
      Grid stays = cluster.node(2);
      Cache<String, Long> kept = cache(stays, owners);
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(kept);
      try (BackgroundWriters writers = new BackgroundWriters(List.of(kept), 4)) {
        writers.awaitMoreWrites(100);
        closeAtOnce(cluster.nodes().stream().filter(node -> !node.equals(stays)).toList());
        writers.awaitMoreWrites(100);
        assertThat(writers.lostKeys(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      assertHoldsAll(kept, stable);
    }
  }

  /**
   * No node is left to hand over to, so no node waits for that, and the data of the grid is gone.
   */
  @Test
  void closingAllNodesTogetherIsQuick() throws Exception {
    try (TestGrid cluster = TestGrid.ofSize(NODE_COUNT)) {
      new UnchangingEntries(STABLE_ENTRY_COUNT).putInto(cache(cluster.node(0), 2));
      List<Grid> all = cluster.nodes();
      closeAtOnce(all);
      // Their ports are free again: the same grid can begin anew, empty.
      try (Grid again = Grid.join(cluster.configAt(0))) {
        assertThat(cache(again, 2).mappingCount()).isZero();
      }
    }
  }

  @ParameterizedTest(name = "{0} owners")
  @ValueSource(ints = {1, 3})
  void replacingEveryNodeInTurnLosesNothing(int owners) {
    try (TestGrid cluster = new TestGrid(2 * NODE_COUNT)) {
      for (int node = 0; node < NODE_COUNT; node++) {
        cluster.join();
      }
      cluster.awaitMembers(NODE_COUNT);
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(cache(cluster.node(0), owners));
      // The oldest leaves first; the node that writes stays, except in the last round.
      Cache<String, Long> kept = cache(cluster.node(NODE_COUNT - 1), owners);
      try (BackgroundWriters writers = new BackgroundWriters(List.of(kept), 4)) {
        for (int round = 0; round < NODE_COUNT - 1; round++) {
          writers.awaitMoreWrites(100);
          cluster.leave(cluster.node(0));
          cluster.join();
        }
        writers.awaitMoreWrites(100);
        assertThat(writers.lostKeys(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      cluster.leave(cluster.node(0));
      cluster.join();
      assertHoldsAll(cache(cluster.node(NODE_COUNT - 1), owners), stable);
      cluster.awaitMembers(NODE_COUNT);
    }
  }

  private static Cache<String, Long> cache(Grid node, int owners) {
    return node.cache("kept", CacheConfig.distributed().owners(owners));
  }

  private static void assertHoldsAll(Cache<String, Long> kept, UnchangingEntries stable) {
    try (CloseableIterator<String> keys = kept.keySet().iterator()) {
      stable.recordDeliveries(keys, Integer.MAX_VALUE);
    }
    assertThat(stable.mistakes()).isEmpty();
  }

  private static void closeAtOnce(List<Grid> nodes) throws Exception {
    CountDownLatch all = new CountDownLatch(nodes.size());
    List<Future<?>> closing = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Grid node : nodes) {
        closing.add(
            threads.submit(
                () -> {
                  all.countDown();
                  all.await();
                  node.close();
                  return null;
                }));
      }
      for (Future<?> one : closing) {
        one.get(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }
}
