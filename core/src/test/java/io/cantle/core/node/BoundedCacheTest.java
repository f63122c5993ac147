package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheFullException;
import io.cantle.PartialWriteException;
import io.cantle.WhenFull;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests caches with a bound as users see them, on one node. */
final class BoundedCacheTest {
  private static final int BOUND = 1_600;
  private static final CacheConfig BOUNDED =
      CacheConfig.distributed().segments(16).maxEntries(BOUND);

  private final SingleNode single = new SingleNode();

  @AfterEach
  void close() {
    single.close();
  }

  @Test
  void bulkLoadAndIterationsLeaveWhatIsReadOften() {
    Cache<Integer, String> cache = single.node.cache("bounded", BOUNDED);
    int hot = BOUND / 2;
    for (int key = 0; key < hot; key++) {
      cache.put(key, "hot");
    }
    for (int round = 0; round < 20; round++) {
      for (int key = 0; key < hot; key++) {
        cache.get(key);
      }
      Map<Integer, String> bulk = new HashMap<>();
      for (int key = 0; key < BOUND; key++) {
        bulk.put(1_000_000 * (round + 1) + key, "bulk");
      }
      cache.putAll(bulk);
      assertThat(cache.values()).doesNotContainNull();
    }
    int kept = 0;
    for (int key = 0; key < hot; key++) {
      kept += cache.containsKey(key) ? 1 : 0;
    }
    assertThat(kept).isGreaterThan(hot * 9 / 10);
    assertThat(cache.size()).isBetween(BOUND * 9 / 10, BOUND);
    assertThat(cache.statistics().evictions()).isGreaterThan(19L * BOUND);
  }

  @Test
  void boundIsHardlyExceededWhileManyThreadsWrite() throws Exception {
    Cache<Integer, byte[]> cache = single.node.cache("bounded", BOUNDED);
    AtomicLong most = new AtomicLong();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> writers = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        int first = thread * 10_000;
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 5_000; i++) {
                    cache.put(first + i, new byte[10]);
                    most.accumulateAndGet(cache.statistics().ownedEntries(), Math::max);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    }
    assertThat(most.get()).isBetween((long) BOUND * 9 / 10, BOUND + BOUND / 50L);
    assertThat(cache.size()).isLessThanOrEqualTo(BOUND);
  }

  @Test
  void bytesOfEntriesStayWithinTheirBound() {
    long maxBytes = 1 << 20;
    Cache<Integer, byte[]> cache =
        single.node.cache("bytes", CacheConfig.distributed().segments(4).maxBytes(maxBytes));
    for (int key = 0; key < 5_000; key++) {
      cache.put(key, new byte[key % 2_000]);
    }
    assertThat(cache.statistics().ownedBytes()).isBetween(maxBytes * 9 / 10, maxBytes);
  }

  @Test
  void entryLongerThanItsShareIsRefusedWithTheSettingsToChange() {
    Cache<String, byte[]> cache =
        single.node.cache("bytes", CacheConfig.distributed().segments(4).maxBytes(40_000));
    cache.put("short", new byte[1_000]);
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> cache.put("long", new byte[10_000]))
        .withMessageContainingAll(
            "is longer than the 10000 bytes",
            "single",
            "CacheConfig.maxBytes",
            "CacheConfig.segments",
            "not made");
    assertThat(cache.containsKey("long")).isFalse();
    assertThat(cache.containsKey("short")).isTrue();
    Cache<String, byte[]> wider =
        single.node.cache("wider", CacheConfig.distributed().segments(2).maxBytes(40_000));
    wider.put("long", new byte[10_000]);
    assertThat(wider).containsKey("long");
  }

  @Test
  void writersTogetherExceedABoundByLessThanTwoPercent() throws Exception {
    long maxBytes = 8 << 20;
    Cache<Integer, byte[]> cache =
        single.node.cache("busy", CacheConfig.distributed().segments(16).maxBytes(maxBytes));
    List<Future<?>> writers = new ArrayList<>();
    long most = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        int writer = i;
        writers.add(
            threads.submit(
                () -> {
                  for (int key = 0; key < 5_000; key++) {
                    cache.put(key * 8 + writer, new byte[1_000]);
                  }
                }));
      }
      while (!writers.stream().allMatch(Future::isDone)) {
        most = Math.max(most, cache.statistics().ownedBytes());
      }
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    assertThat(most).isBetween(maxBytes * 95 / 100, maxBytes * 102 / 100);
  }

  @Test
  void fullCacheThatRefusesWritesLosesNothing() {
    CacheConfig config =
        CacheConfig.distributed().segments(1).maxEntries(2).whenFull(WhenFull.REFUSE);
    Cache<String, Integer> cache = single.node.cache("refusing", config);
    cache.put("a", 1);
    cache.put("b", 2);
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> cache.put("c", 3))
        .withMessageContainingAll("2 entries of the 2", "CacheConfig.maxEntries", "EVICT")
        .satisfies(full -> assertThat(full.retrySafe()).isTrue());
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> cache.computeIfAbsent("c", key -> 3));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(() -> cache.putAll(Map.of("c", 3, "d", 4)))
        .withCauseInstanceOf(CacheFullException.class);
    cache.put("a", 10);
    cache.merge("b", 5, Integer::sum);
    assertThat(cache).containsExactlyInAnyOrderEntriesOf(Map.of("a", 10, "b", 7));
    cache.remove("a");
    cache.put("c", 3);
    assertThat(cache).containsExactlyInAnyOrderEntriesOf(Map.of("b", 7, "c", 3));
    assertThat(cache.statistics().evictions()).isZero();
  }

  @Test
  void fullCacheOfBytesRefusesOnlyWhatMakesItLarger() {
    CacheConfig config =
        CacheConfig.distributed().segments(1).maxBytes(4_000).whenFull(WhenFull.REFUSE);
    Cache<String, byte[]> cache = single.node.cache("refusing", config);
    cache.put("a", new byte[1_500]);
    cache.put("b", new byte[1_500]);
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> cache.put("c", new byte[1_000]))
        .withMessageContainingAll("of the 4000", "CacheConfig.maxBytes");
    cache.put("a", new byte[1_400]);
    assertThat(cache.get("b")).hasSize(1_500);
  }
}
