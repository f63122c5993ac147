package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.cluster.idioms.CacheCaptureIdioms;
import io.cantle.cluster.idioms.CacheCollectorIdioms;
import io.cantle.cluster.idioms.CacheMapIdioms;
import io.cantle.cluster.idioms.CacheNumberIdioms;
import io.cantle.cluster.idioms.CacheStreamIdioms;
import io.cantle.cluster.idioms.Idiom;
import io.cantle.cluster.idioms.JdkCaptureIdioms;
import io.cantle.cluster.idioms.JdkCollectorIdioms;
import io.cantle.cluster.idioms.JdkMapIdioms;
import io.cantle.cluster.idioms.JdkNumberIdioms;
import io.cantle.cluster.idioms.JdkStreamIdioms;
import io.cantle.cluster.idioms.Order;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests ordinary code over a map: with a cache it compiles, and does the same as with a map of the
 * JDK, or it ends with an error that says what to write instead. One node and three nodes.
 */
@Timeout(300)
final class IdiomsTest {
  private static final int ORDER_COUNT = 60;
  private static final double TOLERANCE = 1e-9;

  private static TestGrid cluster = new TestGrid(0);
  private static Grid local = Grid.local();
  private static final Map<String, Cache<Integer, Order>> CACHES = new LinkedHashMap<>();

  /** The same code, compiled against a cache and against a map. */
  record Compared(
      Idiom<Cache<Integer, Order>> onCache, Idiom<ConcurrentMap<Integer, Order>> onMap) {
    @Override
    public String toString() {
      return onMap.name();
    }
  }

  @BeforeAll
  static void join() {
    cluster = TestGrid.ofSize(3);
    CACHES.put("one node", local.cache("orders"));
    CACHES.put("distributed", cluster.node(1).cache("orders"));
    CACHES.put("replicated", cluster.node(2).cache("copies", CacheConfig.replicated()));
  }

  @AfterAll
  static void close() {
    cluster.close();
    local.close();
  }

  static List<Compared> idioms() {
    List<Compared> all = new ArrayList<>();
    add(all, CacheMapIdioms.all(), JdkMapIdioms.all());
    add(all, CacheStreamIdioms.all(), JdkStreamIdioms.all());
    add(all, CacheCollectorIdioms.all(), JdkCollectorIdioms.all());
    add(all, CacheNumberIdioms.all(), JdkNumberIdioms.all());
    add(all, CacheCaptureIdioms.all(), JdkCaptureIdioms.all());
    return all;
  }

  private static void add(
      List<Compared> all,
      List<Idiom<Cache<Integer, Order>>> onCache,
      List<Idiom<ConcurrentMap<Integer, Order>>> onMap) {
    for (int i = 0; i < onCache.size(); i++) {
      all.add(new Compared(onCache.get(i), onMap.get(i)));
    }
  }

  @Test
  void thereAreManyIdioms() {
    assertThat(idioms()).hasSizeGreaterThan(150);
  }

  @ParameterizedTest
  @MethodSource("idioms")
  void doesTheSameAsTheJdkOrSaysWhatToWrite(Compared idiom) {
    ConcurrentMap<Integer, Order> map = new ConcurrentHashMap<>(Order.some(ORDER_COUNT));
    boolean ordered = idiom.onMap().ordered();
    Object expected = comparable(idiom.onMap().code().apply(map), ordered);
    CACHES.forEach(
        (where, cache) -> {
          cache.clear();
          cache.putAll(Order.some(ORDER_COUNT));
          if (idiom.onCache().refusal().isEmpty()) {
            Object result = comparable(idiom.onCache().code().apply(cache), ordered);
            assertThat(isSame(expected, result))
                .as("%s: %s instead of %s", where, result, expected)
                .isTrue();
            assertThat(cache).as(where).isEqualTo(map);
          } else {
            assertThatThrownBy(() -> idiom.onCache().code().apply(cache))
                .as(where)
                .hasMessageContainingAll(idiom.onCache().refusal().toArray(String[]::new));
            assertThat(cache).as(where).isEqualTo(Order.some(ORDER_COUNT));
          }
        });
  }

  /** Converts a result to one that can be compared. */
  private static @Nullable Object comparable(@Nullable Object result, boolean ordered) {
    return switch (result) {
      case Object[] array -> comparable(Arrays.asList(array), ordered);
      case int[] array -> comparable(Arrays.stream(array).boxed().toList(), ordered);
      case List<?> list when ordered -> list;
      case List<?> list -> {
        Map<@Nullable Object, Integer> bag = new HashMap<>();
        list.forEach(element -> bag.merge(comparable(element, false), 1, Integer::sum));
        yield bag;
      }
      case Map<?, ?> map -> {
        Map<Object, @Nullable Object> converted = new HashMap<>();
        map.forEach((key, value) -> converted.put(key, comparable(value, ordered)));
        yield converted;
      }
      case null, default -> result;
    };
  }

  private static boolean isSame(@Nullable Object expected, @Nullable Object result) {
    return switch (expected) {
      case Double number when result instanceof Double other ->
          Math.abs(number - other) <= TOLERANCE * Math.max(1, Math.abs(number));
      case Map<?, ?> map when result instanceof Map<?, ?> other ->
          map.keySet().equals(other.keySet())
              && map.keySet().stream().allMatch(key -> isSame(map.get(key), other.get(key)));
      case null -> result == null;
      default -> expected.equals(result);
    };
  }
}
