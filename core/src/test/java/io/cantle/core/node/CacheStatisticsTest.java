package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.CacheStatistics;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.operation.Operation;
import io.cantle.core.ownership.CacheDefinition;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Tests what the statistics of a cache count. */
final class CacheStatisticsTest {
  private static final CacheDefinition COUNTED =
      new CacheDefinition("counted", CacheConfig.distributed());

  @Test
  void eachCallIsCountedByWhatItDoes() {
    try (SingleNode single = new SingleNode("io.cantle.core.node")) {
      Cache<String, Integer> cache = single.node.cache("counted");
      cache.put("a", 1);
      cache.putIfAbsent("a", 2);
      cache.replace("a", 1, 3);
      cache.merge("a", 1, Integer::sum);
      cache.putAll(Map.of("b", 1, "c", 2));
      assertThat(cache.get("a")).isEqualTo(4);
      assertThat(cache.containsKey("b")).isTrue();
      assertThat(cache.get("z")).isNull();
      assertThat(cache.getOrDefault("y", 7)).isEqualTo(7);
      cache.getAll(List.of("a", "c", "x"));
      cache.remove("b");
      cache.remove("c", 99);
      cache.remove("z");
      CacheStatistics statistics = cache.statistics();
      assertThat(statistics.hits()).as("a, b, and a and c together").isEqualTo(4);
      assertThat(statistics.misses()).as("z, y and x").isEqualTo(3);
      assertThat(statistics.hitRate()).isEqualTo(4.0 / 7);
      assertThat(statistics.puts()).isEqualTo(6);
      assertThat(statistics.removes()).isEqualTo(3);
      assertThat(statistics.putLatency().count()).as("of four").isBetween(1L, 4L);
      assertThat(statistics.putLatency().maxNanos()).isBetween(1L, TimeUnit.MINUTES.toNanos(1));
      assertThat(statistics.ownedEntries()).isEqualTo(2);
      assertThat(statistics.primaryEntries()).isEqualTo(2);
      assertThat(statistics.ownedBytes()).isPositive().isEqualTo(statistics.primaryBytes());
    }
  }

  @Test
  void cacheOfTheNameOfADestroyedOneBeginsAnew() {
    try (SingleNode single = new SingleNode()) {
      Cache<String, Integer> old = single.node.cache("counted");
      old.put("a", 1);
      single.node.destroy("counted");
      assertThatExceptionOfType(CacheDestroyedException.class).isThrownBy(old::statistics);
      Cache<String, Integer> begun = single.node.cache("counted");
      assertThat(begun.statistics().puts()).isZero();
    }
  }

  /** What a function captures decides where it runs, and is not to show in the figures. */
  @Test
  void computeCountsOnceWhereverItsFunctionRuns() {
    try (SingleNode single = new SingleNode("io.cantle.core.node")) {
      Cache<String, Integer> cache = single.node.cache("counted");
      Object notSent = new Object();
      cache.compute("a", (key, old) -> notSent.hashCode() == 0 ? 0 : 1);
      cache.compute("a", (key, old) -> notSent.hashCode() == 0 ? 0 : null);
      cache.compute("b", (key, old) -> notSent.hashCode() == 0 ? 0 : null);
      cache.computeIfPresent("b", (key, old) -> notSent.hashCode());
      cache.merge("c", 1, (old, added) -> notSent.hashCode());
      CacheStatistics here = cache.statistics();
      cache.compute("a", (key, old) -> 1);
      cache.compute("a", (key, old) -> null);
      cache.compute("b", (key, old) -> null);
      cache.computeIfPresent("b", (key, old) -> 1);
      cache.merge("c", 1, Integer::sum);
      CacheStatistics both = cache.statistics();
      assertThat(here.puts()).isEqualTo(5);
      assertThat(both.puts()).isEqualTo(10);
      assertThat(both.putLatency().count()).isEqualTo(10);
      assertThat(both.hits() + both.misses() + both.removes()).isZero();
    }
  }

  @Test
  void callThatTakesSeveralAttemptsCountsOnce() {
    try (SingleNode single = new SingleNode("io.cantle.core.node")) {
      Cache<String, Integer> cache = single.node.cache("counted");
      Cache<String, Integer> other = single.node.cache("counted");
      AtomicInteger runs = new AtomicInteger();
      cache.compute(
          "a",
          (key, old) -> {
            if (runs.incrementAndGet() <= 3) {
              CompletableFuture.runAsync(
                      () -> other.put("a", runs.get()), Thread::startVirtualThread)
                  .join();
            }
            return 7;
          });
      assertThat(runs.get()).isEqualTo(4);
      assertThat(cache.statistics().puts()).as("three of the others").isEqualTo(4);
      assertThat(cache.statistics().hits() + cache.statistics().misses()).isZero();
    }
  }

  @Test
  void bulkWriteThatFailsCountsWhatItHasWritten() {
    try (SingleNode single = new SingleNode()) {
      Cache<String, Object> cache = single.node.cache("counted");
      Map<String, Object> entries = new LinkedHashMap<>();
      // More than one message takes.
      IntStream.range(0, 600).forEach(number -> entries.put("a" + number, number));
      entries.put("b", Thread.currentThread());
      assertThatThrownBy(() -> cache.putAll(entries)).isInstanceOf(IllegalArgumentException.class);
      assertThat(cache.statistics().puts()).isEqualTo(cache.size()).isPositive();
    }
  }

  @Test
  void replaceAllCountsEachKeyOnceWhereverItsFunctionRuns() {
    try (SingleNode single = new SingleNode("io.cantle.core.node")) {
      Cache<String, Integer> cache = single.node.cache("counted");
      Cache<String, Integer> other = single.node.cache("counted");
      cache.putAll(Map.of("a", 1, "b", 2));
      AtomicInteger runs = new AtomicInteger();
      cache.replaceAll(
          (key, old) -> {
            if (runs.incrementAndGet() <= 2) {
              CompletableFuture.runAsync(
                      () -> other.put(key, 10 * runs.get()), Thread::startVirtualThread)
                  .join();
            }
            return old + 1;
          });
      assertThat(runs.get()).isEqualTo(4);
      assertThat(cache.values()).contains(21);
      assertThat(cache.statistics().puts()).as("two of putAll, two others").isEqualTo(6);
      cache.replaceAll((key, old) -> old + 1);
      assertThat(cache.statistics().puts()).isEqualTo(8);
      assertThat(cache.statistics().hits() + cache.statistics().misses()).isZero();
    }
  }

  @Test
  void viewsAndAsynchronousCallsCountForTheSameCache() {
    try (SingleNode single = new SingleNode()) {
      Cache<String, Integer> cache = single.node.cache("counted");
      Cache<String, Integer> again = single.node.cache("counted");
      again.lifespan(Duration.ofHours(1)).put("a", 1);
      cache.getAsync("a").toCompletableFuture().join();
      assertThat(cache.statistics().puts()).isEqualTo(1);
      assertThat(again.statistics().hits()).isEqualTo(1);
      assertThat(single.node.cache("other").statistics().puts()).isZero();
    }
  }

  @Test
  void localCacheHasStatisticsOfItsOwn() {
    try (SingleNode single = new SingleNode()) {
      Cache<String, Integer> local = single.node.cache("here", CacheConfig.local());
      local.put("a", 1);
      assertThat(local.statistics().puts()).isEqualTo(1);
      assertThat(local.statistics().ownedEntries()).isEqualTo(1);
    }
  }

  @Test
  void oneCallIn64IsMeasured() {
    try (SingleNode single = new SingleNode()) {
      Cache<Integer, Integer> cache = single.node.cache("counted");
      IntStream.range(0, 6_400).forEach(key -> assertThat(cache.get(key)).isNull());
      IntStream.range(0, 3_200).forEach(key -> cache.put(key, key));
      IntStream.range(0, 3_200).forEach(cache::remove);
      CacheStatistics statistics = cache.statistics();
      assertThat(statistics.misses()).isEqualTo(6_400);
      assertThat(statistics.readLatency().count()).isEqualTo(100);
      assertThat(statistics.putLatency().count()).isEqualTo(50);
      assertThat(statistics.removeLatency().count()).isEqualTo(50);
    }
  }

  @Test
  void closedGridHasNoStatistics() {
    Cache<String, Integer> cache;
    try (SingleNode single = new SingleNode()) {
      cache = single.node.cache("counted");
    }
    assertThatThrownBy(cache::statistics)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is closed");
  }

  @Test
  void countingAllocatesNothing() throws JMException {
    try (SingleNode single = new SingleNode()) {
      single.node.cache("counted");
      CacheMetrics metrics = single.node.node().cacheMetrics.open(COUNTED, 0, () -> {});
      Operation put = new Operation.Put(ByteSlice.of(new byte[1]), false);
      count(metrics, put);
      long before = allocatedBytes();
      count(metrics, put);
      assertThat(allocatedBytes() - before).as("for 200,000 calls").isLessThan(100_000);
    }
  }

  private static long allocatedBytes() throws JMException {
    return (long)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                "CurrentThreadAllocatedBytes");
  }

  private static void count(CacheMetrics metrics, Operation put) {
    for (int call = 0; call < 100_000; call++) {
      metrics.onRead(call % 2 == 0, call);
      metrics.onWrite(put, call);
    }
  }
}
