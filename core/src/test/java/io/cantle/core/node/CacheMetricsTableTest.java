package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests whose metrics a node shows while caches are opened and destroyed. */
final class CacheMetricsTableTest {
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed());

  private final List<Runnable> started = new ArrayList<>();
  private final List<String> told = new ArrayList<>();

  private CacheMetricsTable tableOf(SingleNode single) {
    CacheMetricsTable table =
        new CacheMetricsTable(
            cache -> single.node.node().cacheMetrics.open(cache, 0), started::add);
    table.setListeners(
        opened -> told.add("+" + opened.cacheName()),
        forgotten -> told.add("-" + forgotten.cacheName()));
    return table;
  }

  /** Adopting a topology holds locks that a listener's call of the grid may need. */
  @Test
  void anotherThreadTellsThatACacheIsForgotten() {
    try (SingleNode single = new SingleNode()) {
      CacheMetricsTable table = tableOf(single);
      table.open(USERS, 3);
      table.forget("users", 3);
      table.forget("users", 3);
      assertThat(told).containsExactly("+users");
      assertThat(started).hasSize(1);
      started.getFirst().run();
      assertThat(told).containsExactly("+users", "-users");
    }
  }

  /** A caller may open the next cache before this node has forgotten the one before. */
  @Test
  void theNextCacheOfTheNameIsNotForgottenWithTheOneBefore() {
    try (SingleNode single = new SingleNode()) {
      CacheMetricsTable table = tableOf(single);
      table.open(USERS, 3);
      CacheMetrics next = table.open(USERS, 4);
      table.forget("users", 3);
      assertThat(started).isEmpty();
      assertThat(table.open(USERS, 4)).isSameAs(next);
    }
  }
}
