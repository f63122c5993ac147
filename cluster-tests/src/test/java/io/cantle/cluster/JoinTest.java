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
  private static final int STABLE = 20_000;

  /**
   * So few that a segment takes several pulls: its owner changes while an iteration is within it.
   */
  private static final CacheConfig LONG_SEGMENTS = CacheConfig.distributed().segments(16);

  private static final int PROBES = 6_000;

  @Test
  void deliversExactlyOnceAndSharesFairlyWhenNodesJoinMidIteration() {
    try (Cluster cluster = new Cluster(4)) {
      Cache<String, Long> first = cluster.join().cache("moving", LONG_SEGMENTS);
      Cache<String, Long> second = cluster.join().cache("moving", LONG_SEGMENTS);
      Stable stable = new Stable(STABLE);
      stable.putInto(first);
      try (Writers writers = new Writers(List.of(first, second), 2);
          Readers readers = new Readers(List.of(second), STABLE);
          CloseableIterator<String> keys = first.keySet().iterator()) {
        stable.take(keys, 100);
        Grid third = cluster.join();
        Cache<String, Long> onThird = third.cache("moving", LONG_SEGMENTS);
        stable.take(keys, STABLE / 2);
        Grid fourth = cluster.join();
        awaitFairShare(onThird, third, 4);
        awaitFairShare(onThird, fourth, 4);
        stable.take(keys, Integer.MAX_VALUE);
        assertThat(stable.mistakes()).isEmpty();
        readers.awaitMore(1);
        assertThat(readers.mistakes()).isEmpty();
        writers.awaitMore(100);
        assertThat(writers.lost(onThird)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
    }
  }

  /**
   * A process that starts is slow at first, so messages overtake what it does on other threads;
   * each round is a new chance for that.
   */
  @RepeatedTest(2)
  void servesWritesAtOnceWhenProcessJoins() throws IOException {
    try (Cluster cluster = new Cluster(3)) {
      Cache<String, Long> cache = cluster.join().cache("moving", LONG_SEGMENTS);
      cluster.join();
      try (Victim joined = Victim.start(cluster)) {
        cluster.awaitMembers(3);
        new Stable(STABLE).putInto(cache);
        assertThat(cache.mappingCount()).isEqualTo(STABLE);
        joined.kill();
        cluster.awaitMembers(2);
        assertThat(cache.mappingCount()).isEqualTo(STABLE);
      }
    }
  }

  /** The node is primary of its part of the segments, give or take what chance does to the keys. */
  private static void awaitFairShare(Cache<String, Long> cache, Grid node, int nodes) {
    int fair = PROBES / nodes;
    Await.until(
        "a fair share of " + node.nodeName(),
        () -> Math.abs(primaryOf(cache, node) - fair) < fair / 4,
        () -> primaryOf(cache, node) + " of " + PROBES);
  }

  private static long primaryOf(Cache<String, Long> cache, Grid node) {
    return IntStream.range(0, PROBES)
        .filter(index -> cache.owners("probe-" + index).getFirst().equals(node.nodeName()))
        .count();
  }
}
