package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a cache keeps the contract of a ConcurrentMap, key by key, wherever entries are. */
@ParameterizedClass
@MethodSource("configs")
final class CacheContractTest {
  @TempDir private static Path folder;
  private static SingleNode alone;
  private static int caches;

  @Parameter private CacheConfig config = CacheConfig.distributed();
  private Cache<String, Integer> cache;

  /** Each container; without a bound, with one, and with a store; and scattered. */
  static List<CacheConfig> configs() {
    CacheConfig heap = CacheConfig.distributed().segments(8);
    CacheConfig offHeap = heap.container(ContainerKind.OFF_HEAP);
    CacheConfig objects = CacheConfig.local().segments(8).container(ContainerKind.OBJECTS);
    Durability periodic = Durability.periodic(Durability.LONGEST);
    return List.of(
        heap,
        heap.maxEntries(1 << 20),
        heap.durability(periodic),
        offHeap,
        offHeap.maxBytes(64 << 20),
        offHeap.durability(periodic),
        CacheConfig.scattered().segments(8),
        objects,
        objects.maxBytes(64 << 20));
  }

  @BeforeAll
  static void start() {
    alone = SingleNode.withStore(folder);
  }

  @AfterAll
  static void stop() {
    alone.close();
  }

  @BeforeEach
  void open() {
    cache = alone.node.cache("cache" + caches++, config);
  }

  @Test
  void putReturnsThePreviousValue() {
    assertThat(cache.put("a", 1)).isNull();
    assertThat(cache.put("a", 2)).isEqualTo(1);
    assertThat(cache.get("a")).isEqualTo(2);
    assertThat(cache.get("b")).isNull();
    assertThat(cache.containsKey("a")).isTrue();
    assertThat(cache.containsKey("b")).isFalse();
    assertThat(cache.getOrDefault("a", 9)).isEqualTo(2);
    assertThat(cache.getOrDefault("b", 9)).isEqualTo(9);
  }

  @Test
  void putIfAbsentWritesOnce() {
    assertThat(cache.putIfAbsent("a", 1)).isNull();
    assertThat(cache.putIfAbsent("a", 2)).isEqualTo(1);
    assertThat(cache.get("a")).isEqualTo(1);
  }

  @Test
  void removeReturnsThePreviousValue() {
    assertThat(cache.remove("a")).isNull();
    cache.put("a", 1);
    assertThat(cache.remove("a")).isEqualTo(1);
    assertThat(cache.remove("a")).isNull();
    assertThat(cache.containsKey("a")).isFalse();
    assertThat(cache.putIfAbsent("a", 3)).isNull();
  }

  @Test
  void removeOfAValueRemovesOnlyThatValue() {
    cache.put("a", 1);
    assertThat(cache.remove("a", 2)).isFalse();
    assertThat(cache.remove("b", 1)).isFalse();
    assertThat(cache.remove("a", "1")).isFalse();
    assertThat(cache.get("a")).isEqualTo(1);
    assertThat(cache.remove("a", 1)).isTrue();
    assertThat(cache.containsKey("a")).isFalse();
  }

  @Test
  void replaceWritesOnlyIfPresent() {
    assertThat(cache.replace("a", 1)).isNull();
    assertThat(cache.containsKey("a")).isFalse();
    cache.put("a", 1);
    assertThat(cache.replace("a", 2)).isEqualTo(1);
    assertThat(cache.replace("a", 1, 3)).isFalse();
    assertThat(cache.replace("a", 2, 3)).isTrue();
    assertThat(cache.replace("b", 2, 3)).isFalse();
    assertThat(cache.get("a")).isEqualTo(3);
  }

  @Test
  void computeWritesRemovesOrLeaves() {
    assertThat(cache.compute("a", (k, v) -> v == null ? 1 : v + 1)).isEqualTo(1);
    assertThat(cache.compute("a", (k, v) -> v == null ? 1 : v + 1)).isEqualTo(2);
    assertThat(cache.compute("a", (k, v) -> null)).isNull();
    assertThat(cache.containsKey("a")).isFalse();
    assertThat(cache.compute("a", (k, v) -> null)).isNull();
    assertThat(cache.compute("key", (k, v) -> k.length())).isEqualTo(3);
  }

  @Test
  void computeIfAbsentCallsTheFunctionOnlyIfAbsent() {
    assertThat(cache.computeIfAbsent("a", k -> null)).isNull();
    assertThat(cache.containsKey("a")).isFalse();
    assertThat(cache.computeIfAbsent("a", String::length)).isEqualTo(1);
    assertThat(
            cache.computeIfAbsent(
                "a",
                k -> {
                  throw new AssertionError("there is a value");
                }))
        .isEqualTo(1);
  }

  @Test
  void computeIfPresentCallsTheFunctionOnlyIfPresent() {
    assertThat(
            cache.computeIfPresent(
                "a",
                (k, v) -> {
                  throw new AssertionError("there is no value");
                }))
        .isNull();
    cache.put("a", 1);
    assertThat(cache.computeIfPresent("a", (k, v) -> v + 5)).isEqualTo(6);
    assertThat(cache.computeIfPresent("a", (k, v) -> null)).isNull();
    assertThat(cache.containsKey("a")).isFalse();
  }

  @Test
  void mergePutsJoinsOrRemoves() {
    assertThat(cache.merge("a", 1, Integer::sum)).isEqualTo(1);
    assertThat(cache.merge("a", 5, Integer::sum)).isEqualTo(6);
    assertThat(cache.merge("a", 5, (old, more) -> null)).isNull();
    assertThat(cache.containsKey("a")).isFalse();
  }

  @Test
  void aFunctionThatThrowsChangesNothing() {
    cache.put("a", 1);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(
            () ->
                cache.compute(
                    "a",
                    (k, v) -> {
                      throw new IllegalArgumentException("mine");
                    }))
        .withMessage("mine");
    assertThat(cache.get("a")).isEqualTo(1);
  }

  /** Writes the key "a" as another caller does: a function must not write its own key. */
  private void putByAnotherThread(int value) {
    Executor threads = alone.environment.environment().threads();
    CompletableFuture.runAsync(() -> cache.put("a", value), threads).join();
  }

  @Test
  void functionRerunsAfterAConcurrentWrite() {
    cache.put("a", 1);
    List<Integer> seen = new ArrayList<>();
    assertThat(
            cache.compute(
                "a",
                (k, v) -> {
                  seen.add(v);
                  if (seen.size() == 1) {
                    putByAnotherThread(10);
                  }
                  return v + 1;
                }))
        .isEqualTo(11);
    assertThat(seen).containsExactly(1, 10);
  }

  @Test
  void firstOfTwoComputedValuesWins() {
    assertThat(
            cache.computeIfAbsent(
                "a",
                k -> {
                  putByAnotherThread(7);
                  return 1;
                }))
        .isEqualTo(7);
    assertThat(cache.get("a")).isEqualTo(7);
  }

  @Test
  void replacedValueIsANewVersionEvenIfEqual() {
    cache.put("a", 1);
    List<Integer> seen = new ArrayList<>();
    cache.compute(
        "a",
        (k, v) -> {
          seen.add(v);
          if (seen.size() == 1) {
            putByAnotherThread(1);
          }
          return v + 1;
        });
    assertThat(seen).containsExactly(1, 1);
    assertThat(cache.get("a")).isEqualTo(2);
  }

  @Test
  void countersOfManyThreadsLoseNothing() throws InterruptedException {
    int threads = 8;
    CountDownLatch ended = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      alone
          .environment
          .environment()
          .threads()
          .execute(
              () -> {
                for (int n = 0; n < 200; n++) {
                  cache.merge("n" + n % 3, 1, Integer::sum);
                }
                ended.countDown();
              });
    }
    ended.await();
    assertThat(cache.values().stream().collect(Collectors.summingInt(n -> n))).isEqualTo(1_600);
  }

  @Test
  void putAllAndClearHandleManyEntries() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      many.put("k" + i, i);
    }
    cache.putAll(many);
    assertThat(cache.size()).isEqualTo(2_000);
    assertThat(cache.mappingCount()).isEqualTo(2_000);
    assertThat(cache).isEqualTo(many);
    cache.putAll(Map.of());
    cache.putAll(Map.of("k1", -1));
    assertThat(cache.get("k1")).isEqualTo(-1);
    cache.clear();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(cache.size()).isZero();
    assertThat(cache.keySet().iterator().hasNext()).isFalse();
    cache.clear();
  }

  @Test
  void getAllReturnsTheKeysThatHaveAValueInTheirOrder() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      many.put("k" + i, i);
    }
    cache.putAll(many);
    assertThat(cache.getAll(many.keySet())).isEqualTo(many);
    assertThat(cache.getAll(List.of())).isEmpty();
    assertThat(cache.getAll(List.of("k7", "none", "k3", "k7")))
        .containsExactly(Map.entry("k7", 7), Map.entry("k3", 3));
    Map<String, Integer> own = cache.getAll(List.of("k1"));
    own.put("mine", 1);
    assertThat(cache.containsKey("mine")).isFalse();
  }

  @Test
  void getAllTakesByteArraysAsKeys() {
    Cache<byte[], Integer> byBytes =
        alone.node.cache("bytes" + caches++, CacheConfig.distributed().segments(3));
    byte[] key = {1, 2};
    byBytes.put(key, 5);
    Map<byte[], Integer> found = byBytes.getAll(List.of(key, new byte[] {1, 2}, new byte[] {3}));
    assertThat(found.get(key)).isEqualTo(5);
    assertThat(found).hasSize(1);
  }

  @Test
  void removeAllRemovesTheGivenKeysOnly() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      many.put("k" + i, i);
    }
    cache.putAll(many);
    cache.removeAll(List.of());
    cache.removeAll(List.of("none", "k0", "k0"));
    many.remove("k0");
    assertThat(cache).isEqualTo(many);
    cache.put("kept", 1);
    cache.removeAll(many.keySet());
    assertThat(cache).isEqualTo(Map.of("kept", 1));
  }

  @Test
  void replaceAllAndForEachSeeEverything() {
    cache.putAll(Map.of("a", 1, "b", 2, "c", 3));
    cache.replaceAll((k, v) -> v * 10);
    Map<String, Integer> seen = new HashMap<>();
    cache.forEach(seen::put);
    assertThat(seen).isEqualTo(Map.of("a", 10, "b", 20, "c", 30));
  }

  @Test
  void equalsAndHashCodeAreThoseOfAnyMap() {
    Map<String, Integer> map = new HashMap<>(Map.of("a", 1, "b", 2));
    cache.putAll(map);
    assertThat(cache.equals(map)).isTrue();
    assertThat(map.equals(cache)).isTrue();
    assertThat(cache.hashCode()).isEqualTo(map.hashCode());
    map.put("b", 3);
    assertThat(cache.equals(map)).isFalse();
    map.remove("b");
    assertThat(cache.equals(map)).isFalse();
    assertThat(cache.equals((Object) "map")).isFalse();
    Map<String, Integer> withNull = new HashMap<>();
    withNull.put("a", 1);
    withNull.put(null, 2);
    assertThat(cache.equals(withNull)).isFalse();
  }

  @Test
  void behavesLikeAConcurrentHashMap() {
    Random random = new Random(99);
    Map<String, Integer> model = new ConcurrentHashMap<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "k" + random.nextInt(12);
      int value = random.nextInt(4);
      int other = random.nextInt(4);
      switch (random.nextInt(11)) {
        case 0 -> assertThat(cache.put(key, value)).isEqualTo(model.put(key, value));
        case 1 ->
            assertThat(cache.putIfAbsent(key, value)).isEqualTo(model.putIfAbsent(key, value));
        case 2 -> assertThat(cache.remove(key)).isEqualTo(model.remove(key));
        case 3 -> assertThat(cache.remove(key, value)).isEqualTo(model.remove(key, value));
        case 4 -> assertThat(cache.replace(key, value)).isEqualTo(model.replace(key, value));
        case 5 ->
            assertThat(cache.replace(key, value, other))
                .isEqualTo(model.replace(key, value, other));
        case 6 ->
            assertThat(cache.merge(key, value, (a, b) -> a + b > 4 ? null : a + b))
                .isEqualTo(model.merge(key, value, (a, b) -> a + b > 4 ? null : a + b));
        case 7 ->
            assertThat(cache.compute(key, (k, v) -> v == null || v < 2 ? other : null))
                .isEqualTo(model.compute(key, (k, v) -> v == null || v < 2 ? other : null));
        case 8 ->
            assertThat(cache.computeIfAbsent(key, k -> value == 0 ? null : value))
                .isEqualTo(model.computeIfAbsent(key, k -> value == 0 ? null : value));
        case 9 ->
            assertThat(cache.computeIfPresent(key, (k, v) -> v == 1 ? null : v + 1))
                .isEqualTo(model.computeIfPresent(key, (k, v) -> v == 1 ? null : v + 1));
        default -> assertThat(cache.get(key)).isEqualTo(model.get(key));
      }
    }
    assertThat(cache.size()).isEqualTo(model.size());
    assertThat(cache).isEqualTo(model);
  }

  @Test
  @SuppressWarnings("NullAway") // This test passes nulls on purpose.
  void nullsAreRefused() {
    cache.put("a", 1);
    Map<String, Integer> nullKey = new HashMap<>();
    nullKey.put(null, 1);
    Map<String, Integer> nullValue = new HashMap<>();
    nullValue.put("b", null);
    List<org.assertj.core.api.ThrowableAssert.ThrowingCallable> calls =
        List.of(
            () -> cache.get(null),
            () -> cache.containsKey(null),
            () -> cache.containsValue(null),
            () -> cache.put(null, 1),
            () -> cache.put("a", null),
            () -> cache.putIfAbsent(null, 1),
            () -> cache.putIfAbsent("a", null),
            () -> cache.remove(null),
            () -> cache.remove(null, 1),
            () -> cache.replace(null, 1),
            () -> cache.replace("a", null),
            () -> cache.replace(null, 1, 2),
            () -> cache.replace("a", null, 2),
            () -> cache.replace("a", 1, null),
            () -> cache.compute(null, (k, v) -> 1),
            () -> cache.compute("a", null),
            () -> cache.computeIfAbsent(null, k -> 1),
            () -> cache.computeIfAbsent("a", null),
            () -> cache.computeIfPresent(null, (k, v) -> 1),
            () -> cache.computeIfPresent("a", null),
            () -> cache.merge(null, 1, Integer::sum),
            () -> cache.merge("a", null, Integer::sum),
            () -> cache.merge("a", 1, null),
            () -> cache.putAll(nullKey),
            () -> cache.putAll(nullValue),
            () -> cache.putAll(null),
            () -> cache.getAll(null),
            () -> cache.getAll(Arrays.asList("a", null)),
            () -> cache.removeAll(null),
            () -> cache.removeAll(Arrays.asList("a", null)));
    for (int i = 0; i < calls.size(); i++) {
      assertThatNullPointerException().as("call %s", i).isThrownBy(calls.get(i));
    }
    assertThat(cache.remove("a", null)).isFalse();
    assertThat(cache).isEqualTo(Map.of("a", 1));
  }

  @Test
  void changingAPutObjectDoesNotChangeTheEntry() {
    Cache<String, ArrayList<Integer>> lists = alone.node.cache("lists" + caches++, config);
    ArrayList<Integer> list = new ArrayList<>(List.of(1, 2));
    lists.put("a", list);
    list.add(3);
    ArrayList<Integer> read = lists.get("a");
    assertThat(read).containsExactly(1, 2);
    read.add(4);
    assertThat(lists.get("a")).containsExactly(1, 2);
  }

  @Test
  void byteArrayKeysCompareByContent() {
    Cache<byte[], byte[]> arrays = alone.node.cache("arrays" + caches++, config);
    arrays.put(new byte[] {1, 2}, new byte[] {3});
    assertThat(arrays.get(new byte[] {1, 2})).containsExactly(3);
    assertThat(arrays.containsKey(new byte[] {1})).isFalse();
  }

  @Test
  void reportsTheOwnersOfAKey() {
    assertThat(cache.owners("a")).containsExactly("single");
    assertThat(cache.name()).startsWith("cache");
    assertThat(cache.config()).isEqualTo(config);
    assertThat(cache.toString()).contains(cache.name(), config.mode().toString());
  }

  @Test
  void compareAndSetRetriesAfterAConcurrentWrite() {
    cache.put("a", 1);
    List<Object> compared = new ArrayList<>();
    assertThat(cache.remove("a", new WritesWhenCompared(compared))).isTrue();
    assertThat(compared).containsExactly(1, 2);
    assertThat(cache.containsKey("a")).isFalse();
  }

  /** Is equal to everything; in the first comparison it makes another write. */
  private final class WritesWhenCompared {
    private final List<Object> compared;

    WritesWhenCompared(List<Object> compared) {
      this.compared = compared;
    }

    @Override
    public boolean equals(Object other) {
      compared.add(other);
      if (compared.size() == 1) {
        cache.put("a", 2);
      }
      return true;
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }
}
