package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
final class LeaveTest {
  private static final int STABLE = 20_000;

  /**
   * So few that a segment takes several pulls: its owner changes while an iteration is within it.
   */
  private static final CacheConfig LONG_SEGMENTS = CacheConfig.distributed().segments(16);

  /** The first node makes the topologies, so its leaving differs from that of the last. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void losesNothingWhenNodeLeavesWhileOthersWriteAndRead(int leaving) {
    try (Cluster cluster = Cluster.of(3)) {
      Grid left = cluster.node(leaving);
      List<Cache<String, Long>> caches =
          cluster.nodes().stream()
              .filter(node -> !node.equals(left))
              .map(node -> node.<String, Long>cache("moving", LONG_SEGMENTS))
              .toList();
      Stable stable = new Stable(STABLE);
      stable.putInto(caches.getFirst());
      try (Writers writers = new Writers(caches, 2);
          Readers readers = new Readers(List.of(caches.getLast()), STABLE);
          CloseableIterator<String> keys = caches.getFirst().keySet().iterator()) {
        stable.take(keys, 100);
        writers.awaitMore(100);
        cluster.leave(left);
        stable.take(keys, Integer.MAX_VALUE);
        assertThat(stable.mistakes()).isEmpty();
        writers.awaitMore(100);
        readers.awaitMore(2);
        assertThat(readers.mistakes()).isEmpty();
        assertThat(writers.lost(caches.getLast())).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      cluster.awaitMembers(2);
    }
  }

  @Test
  void returnsFromCloseWhenSingleCopiesAreSafeElsewhere() {
    try (Cluster cluster = Cluster.of(3)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(1).cache("single", oneOwner);
      Stable stable = new Stable(STABLE);
      stable.putInto(kept);
      cluster.leave(cluster.node(0));
      assertThat(kept.mappingCount()).isEqualTo(STABLE);
      cluster.leave(cluster.node(1));
      try (CloseableIterator<String> keys = kept.keySet().iterator()) {
        stable.take(keys, Integer.MAX_VALUE);
      }
      assertThat(stable.mistakes()).isEmpty();
      assertThat(kept.mappingCount()).isEqualTo(STABLE);
    }
  }

  @Test
  void handsOverAlsoWhenTheThreadThatClosesIsInterrupted() {
    try (Cluster cluster = Cluster.of(2)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(0).cache("single", oneOwner);
      new Stable(STABLE).putInto(kept);
      try {
        Thread.currentThread().interrupt();
        cluster.leave(cluster.node(1));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        Thread.interrupted();
      }
      assertThat(kept.mappingCount()).isEqualTo(STABLE);
    }
  }

  @Test
  void keepsWritesToSingleCopiesWhenNodeLeaves() {
    try (Cluster cluster = Cluster.of(3)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(0).cache("single", oneOwner);
      try (Writers writers = new Writers(List.of(kept), 4)) {
        writers.awaitMore(100);
        cluster.leave(cluster.node(2));
        writers.awaitMore(100);
        cluster.leave(cluster.node(1));
        writers.awaitMore(100);
        assertThat(writers.lost(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
    }
  }

  @Test
  void closesTwiceAndRefusesLaterCalls() {
    try (Cluster cluster = Cluster.of(2)) {
      Grid left = cluster.node(1);
      Cache<String, Long> cache = left.cache("closed");
      cache.put("a", 1L);
      cluster.leave(left);
      left.close();
      assertThatThrownBy(() -> cache.get("a"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(left.nodeName());
      assertThat(cluster.node(0).<String, Long>cache("closed")).containsEntry("a", 1L);
    }
  }
}
