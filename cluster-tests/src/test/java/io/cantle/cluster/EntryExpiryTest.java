package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that entries expire on time while nodes join, leave and are killed. */
@Timeout(180)
final class EntryExpiryTest {
  private static final int ENTRY_COUNT = 1_000;
  private static final Duration LIFESPAN = Duration.ofSeconds(10);

  @Test
  void entriesExpireWhileNodesJoinLeaveAndAreKilled() throws IOException {
    try (TestGrid cluster = new TestGrid(4)) {
      Grid first = cluster.join();
      Grid second = cluster.join();
      Cache<String, Long> cache = first.cache("ending", CacheConfig.distributed().segments(32));
      Cache<String, Long> others = second.cache("ending", cache.config());
      try (KillableNode victim = KillableNode.start(cluster)) {
        cluster.awaitMembers(3);
        Map<String, Long> ending = new TreeMap<>();
        for (long i = 0; i < ENTRY_COUNT; i++) {
          ending.put("ends-" + i, i);
        }
        long began = System.nanoTime();
        cache.lifespan(LIFESPAN).putAll(ending);
        cache.put("stays", 1L);
        Grid third = cluster.join();
        cluster.leave(first);
        Cache<String, Long> late = third.cache("ending");
        ConditionWait.until("everything to be moved", third::settled, third::members);
        victim.kill();
        cluster.awaitMembers(2);
        long count = late.mappingCount();
        if (System.nanoTime() - began < LIFESPAN.toNanos()) {
          assertThat(count).as("nothing ends early").isEqualTo(ENTRY_COUNT + 1);
        }
        ConditionWait.until(
            "the entries to end", () -> others.mappingCount() == 1, () -> others.mappingCount());
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LIFESPAN.toNanos() * 98 / 100);
        assertThat(late.keySet()).containsExactly("stays");
        assertThat(late.get("ends-7")).isNull();
      }
    }
  }
}
