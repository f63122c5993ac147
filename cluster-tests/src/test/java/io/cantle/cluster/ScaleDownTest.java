package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class ScaleDownTest {
  private static final int NODES = 5;
  private static final int STABLE = 10_000;

  /** An operator who does not look whether the one before is done. */
  @Test
  void leavingOneAfterAnotherWithoutWaitingDownToOneLosesNothing() throws Exception {
    try (Cluster cluster = Cluster.of(NODES);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Grid last = cluster.node(NODES / 2);
      Cache<String, Long> kept = last.cache("kept", CacheConfig.distributed().segments(64));
      Cache<String, Long> single =
          last.cache("single", CacheConfig.distributed().owners(1).segments(64));
      new Stable(STABLE).putInto(kept);
      new Stable(STABLE).putInto(single);
      try (Writers writers = new Writers(List.of(kept), 2)) {
        writers.awaitMore(50);
        List<Future<?>> leaves = new ArrayList<>();
        for (Grid node : cluster.nodes()) {
          if (!node.equals(last)) {
            leaves.add(threads.submit(() -> cluster.leave(node)));
          }
        }
        for (Future<?> leave : leaves) {
          leave.get();
        }
        cluster.awaitMembers(1);
        writers.awaitMore(50);
        assertThat(writers.lost(kept)).isEmpty();
        assertThat(writers.failures()).isEmpty();
      }
      assertEverythingIsThere(kept);
      assertEverythingIsThere(single);
    }
  }

  private static void assertEverythingIsThere(Cache<String, Long> cache) {
    Stable stable = new Stable(STABLE);
    try (CloseableIterator<String> keys = cache.keySet().iterator()) {
      stable.take(keys, Integer.MAX_VALUE);
    }
    assertThat(stable.mistakes()).isEmpty();
  }
}
