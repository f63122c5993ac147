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
  private static final int STABLE_ENTRY_COUNT = 20_000;

  /**
   * So few segments that each takes several pulls: its owner changes while an iteration is within
   * it.
   */
  private static final CacheConfig LONG_SEGMENT_COUNT = CacheConfig.distributed().segments(16);

  /** The first node leads the topologies, so its leave differs from that of the last. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void leaveUnderLoadLosesNothing(int leaving) {
    try (TestGrid cluster = TestGrid.ofSize(3)) {
      Grid left = cluster.node(leaving);
      List<Cache<String, Long>> caches =
          cluster.nodes().stream()
              .filter(node -> !node.equals(left))
              .map(node -> node.<String, Long>cache("moving", LONG_SEGMENT_COUNT))
              .toList();
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(caches.getFirst());
      try (BackgroundWriters writers = new BackgroundWriters(caches, 2);
          BackgroundReaders readers =
              new BackgroundReaders(List.of(caches.getLast()), STABLE_ENTRY_COUNT);
          CloseableIterator<String> keys = caches.getFirst().keySet().iterator()) {
        stable.recordDeliveries(keys, 100);
        writers.awaitMoreWrites(100);
        cluster.leave(left);
        stable.recordDeliveries(keys, Integer.MAX_VALUE);
        assertThat(stable.mistakes()).isEmpty();
        writers.awaitMoreWrites(100);
        readers.awaitMoreRounds(2);
        assertThat(readers.mistakes()).isEmpty();
        assertThat(writers.lostKeys(caches.getLast())).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      cluster.awaitMembers(2);
    }
  }

  @Test
  void closeReturnsOnceSingleCopiesAreMoved() {
    try (TestGrid cluster = TestGrid.ofSize(3)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(1).cache("single", oneOwner);
      UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
      stable.putInto(kept);
      cluster.leave(cluster.node(0));
      assertThat(kept.mappingCount()).isEqualTo(STABLE_ENTRY_COUNT);
      cluster.leave(cluster.node(1));
      try (CloseableIterator<String> keys = kept.keySet().iterator()) {
        stable.recordDeliveries(keys, Integer.MAX_VALUE);
      }
      assertThat(stable.mistakes()).isEmpty();
      assertThat(kept.mappingCount()).isEqualTo(STABLE_ENTRY_COUNT);
    }
  }

  @Test
  void interruptedCloseStillHandsOver() {
    try (TestGrid cluster = TestGrid.ofSize(2)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(0).cache("single", oneOwner);
      new UnchangingEntries(STABLE_ENTRY_COUNT).putInto(kept);
      try {
        Thread.currentThread().interrupt();
        cluster.leave(cluster.node(1));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        Thread.interrupted();
      }
      assertThat(kept.mappingCount()).isEqualTo(STABLE_ENTRY_COUNT);
    }
  }

  @Test
  void writesToSingleCopiesSurviveALeave() {
    try (TestGrid cluster = TestGrid.ofSize(3)) {
      CacheConfig oneOwner = CacheConfig.distributed().owners(1);
      Cache<String, Long> kept = cluster.node(0).cache("single", oneOwner);
      try (BackgroundWriters writers = new BackgroundWriters(List.of(kept), 4)) {
        writers.awaitMoreWrites(100);
        cluster.leave(cluster.node(2));
        writers.awaitMoreWrites(100);
        cluster.leave(cluster.node(1));
        writers.awaitMoreWrites(100);
        assertThat(writers.lostKeys(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
    }
  }

  @Test
  void closingTwiceIsHarmlessAndLaterCallsAreRefused() {
    try (TestGrid cluster = TestGrid.ofSize(2)) {
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
