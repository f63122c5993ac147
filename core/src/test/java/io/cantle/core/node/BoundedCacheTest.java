package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheFullException;
import io.cantle.CacheStatistics;
import io.cantle.ContainerKind;
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
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  @ParameterizedTest
  @EnumSource
  void writersTogetherExceedABoundOfEntriesByLessThanTwoPercent(ContainerKind kind)
      throws Exception {
    long maxEntries = 8_000;
    long most =
        mostWhileManyWrite(
            with(kind).segments(BOUNDED.segments()).maxEntries(maxEntries),
            CacheStatistics::ownedEntries);
    assertThat(most).isBetween(maxEntries * 95 / 100, maxEntries * 102 / 100);
  }

  @ParameterizedTest
  @EnumSource
  void writersTogetherExceedABoundOfBytesByLessThanTwoPercent(ContainerKind kind) throws Exception {
    long maxBytes = 8 << 20;
    long most =
        mostWhileManyWrite(with(kind).segments(16).maxBytes(maxBytes), CacheStatistics::ownedBytes);
    assertThat(most).isBetween(maxBytes * 95 / 100, maxBytes * 102 / 100);
  }

  private static CacheConfig with(ContainerKind kind) {
    return (kind == ContainerKind.OBJECTS ? CacheConfig.local() : CacheConfig.distributed())
        .container(kind);
  }

  /** The most that was seen while eight threads put values of 1,000 bytes, or such texts. */
  private long mostWhileManyWrite(CacheConfig config, ToLongFunction<CacheStatistics> figure)
      throws Exception {
    Cache<Integer, Object> cache = single.node.cache("busy", config);
    boolean areTexts = config.container() == ContainerKind.OBJECTS;
    AtomicLong most = new AtomicLong();
    List<Future<?>> writers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        int writer = i;
        writers.add(
            threads.submit(
                () -> {
                  for (int key = 0; key < 4_000; key++) {
                    cache.put(key * 8 + writer, areTexts ? "x".repeat(1_000) : new byte[1_000]);
                    most.accumulateAndGet(figure.applyAsLong(cache.statistics()), Math::max);
                  }
                }));
      }
      while (!writers.stream().allMatch(Future::isDone)) {
        most.accumulateAndGet(figure.applyAsLong(cache.statistics()), Math::max);
      }
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    return most.get();
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
    assertThatExceptionOfType(CacheFullException.class)
        .isThrownBy(() -> cache.putAll(Map.of("c", 3, "d", 4)));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(() -> cache.putAll(Map.of("a", 1, "d", 4)))
        .withCauseInstanceOf(CacheFullException.class)
        .satisfies(part -> assertThat(part.doubtfulCount()).isZero())
        .satisfies(part -> assertThat(part.writtenCount()).isEqualTo(1));
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
