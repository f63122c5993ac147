package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class JoinTest {
  private static final int STABLE_ENTRY_COUNT = 20_000;

  /**
   * So few segments that each takes several pulls: its owner changes while an iteration is within
   * it.
   */
  private static final CacheConfig LONG_SEGMENTS = CacheConfig.distributed().segments(16);

  private static final int PROBE_COUNT = 6_000;

  @Test
  void iterationIsExactlyOnceAndShareIsFairWhenNodesJoin() {
    try (TestGrid cluster = new TestGrid(4)) {
      Cache<String, Long> first = cluster.join().cache("moving", LONG_SEGMENTS);
      Cache<String, Long> second = cluster.join().cache("moving", LONG_SEGMENTS);
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(first);
      try (BackgroundWriters writers = new BackgroundWriters(List.of(first, second), 2);
          BackgroundReaders readers = new BackgroundReaders(List.of(second), STABLE_ENTRY_COUNT);
          CloseableIterator<String> keys = first.keySet().iterator()) {
        stable.recordDeliveries(keys, 100);
        Grid third = cluster.join();
        Cache<String, Long> onThird = third.cache("moving", LONG_SEGMENTS);
        stable.recordDeliveries(keys, STABLE_ENTRY_COUNT / 2);
        Grid fourth = cluster.join();
        awaitFairShare(onThird, third, 4);
        awaitFairShare(onThird, fourth, 4);
        stable.recordDeliveries(keys, Integer.MAX_VALUE);
        assertThat(stable.mistakes()).isEmpty();
        readers.awaitMoreRounds(1);
        assertThat(readers.mistakes()).isEmpty();
        writers.awaitMoreWrites(100);
        assertThat(writers.lostKeys(onThird)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
    }
  }

  /**
   * A starting process is slow at first, so messages overtake what it does on other threads; each
   * round is a new chance for that.
   */
  @RepeatedTest(2)
  void writesAreServedWhileAProcessJoins() throws IOException {
    try (TestGrid cluster = new TestGrid(3)) {
      Cache<String, Long> cache = cluster.join().cache("moving", LONG_SEGMENTS);
      cluster.join();
      try (KillableNode joined = KillableNode.start(cluster)) {
        cluster.awaitMembers(3);
        new UnchangingEntries(STABLE_ENTRY_COUNT).putInto(cache);
        assertThat(cache.mappingCount()).isEqualTo(STABLE_ENTRY_COUNT);
        cluster.awaitSettled();
        joined.kill();
        cluster.awaitMembers(2);
        assertThat(cache.mappingCount()).isEqualTo(STABLE_ENTRY_COUNT);
      }
    }
  }

  /**
   * Waits until the node is primary of its part of the segments, allowing for the random
   * distribution of keys.
   */
  private static void awaitFairShare(Cache<String, Long> cache, Grid node, int nodes) {
    int fair = PROBE_COUNT / nodes;
    ConditionWait.until(
        "a fair share of " + node.nodeName(),
        () -> Math.abs(primaryOf(cache, node) - fair) < fair / 4,
        () -> primaryOf(cache, node) + " of " + PROBE_COUNT);
  }

  private static long primaryOf(Cache<String, Long> cache, Grid node) {
    return IntStream.range(0, PROBE_COUNT)
        .filter(index -> cache.owners("probe-" + index).getFirst().equals(node.nodeName()))
        .count();
  }
}
