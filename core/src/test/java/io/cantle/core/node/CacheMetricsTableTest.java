package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
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

  /** The check of a cache that was not destroyed. */
  private static void isPresent() {}

  private CacheMetricsTable tableOf(SingleNode single) {
    CacheMetricsTable table =
        new CacheMetricsTable(
            cache ->
                single.node.node().cacheMetrics.open(cache, 0, CacheMetricsTableTest::isPresent),
            started::add);
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
      table.open(USERS, 3, CacheMetricsTableTest::isPresent);
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
      table.open(USERS, 3, CacheMetricsTableTest::isPresent);
      CacheMetrics next = table.open(USERS, 4, CacheMetricsTableTest::isPresent);
      table.forget("users", 3);
      assertThat(started).isEmpty();
      assertThat(table.open(USERS, 4, CacheMetricsTableTest::isPresent)).isSameAs(next);
    }
  }

  /** A caller may have found the cache before it was destroyed, and be the last to open it. */
  @Test
  void theNextCacheOfTheNameStaysWhenTheOneBeforeIsOpenedTooLate() {
    try (SingleNode single = new SingleNode()) {
      CacheMetricsTable table = tableOf(single);
      CacheMetrics next = table.open(USERS, 7, CacheMetricsTableTest::isPresent);
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(
              () ->
                  table.open(
                      USERS,
                      3,
                      () -> {
                        throw new CacheDestroyedException("users");
                      }));
      table.forget("users", 3);
      assertThat(started).isEmpty();
      assertThat(told).containsExactly("+users");
      assertThat(table.open(USERS, 7, CacheMetricsTableTest::isPresent)).isSameAs(next);
    }
  }
}
