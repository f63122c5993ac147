package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the views of keys, values and entries of a cache. */
final class CacheViewsTest {
  private static SingleNode alone;
  private static int caches;

  private Cache<String, Integer> cache;

  @BeforeAll
  static void start() {
    alone = new SingleNode();
  }

  @AfterAll
  static void stop() {
    alone.close();
  }

  @BeforeEach
  void open() {
    cache = alone.node.cache("cache" + caches++, CacheConfig.distributed().segments(4));
    cache.putAll(Map.of("a", 1, "b", 2, "c", 2));
  }

  @Test
  void viewsShowTheCacheAsItIs() {
    Set<String> keys = cache.keySet();
    assertThat(keys).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(cache.values()).containsExactlyInAnyOrder(1, 2, 2);
    assertThat(cache.entrySet())
        .containsExactlyInAnyOrder(Map.entry("a", 1), Map.entry("b", 2), Map.entry("c", 2));
    cache.put("d", 4);
    assertThat(keys).hasSize(4).contains("d");
    assertThat(cache.entrySet().isEmpty()).isFalse();
  }

  @Test
  void viewsContainWhatTheCacheContains() {
    assertThat(cache.keySet().contains("a")).isTrue();
    assertThat(cache.keySet().contains("z")).isFalse();
    assertThat(cache.values().contains(2)).isTrue();
    assertThat(cache.values().contains(9)).isFalse();
    assertThat(cache.containsValue(2)).isTrue();
    assertThat(cache.containsValue(9)).isFalse();
    assertThat(cache.entrySet().contains(Map.entry("a", 1))).isTrue();
    assertThat(cache.entrySet().contains(Map.entry("a", 2))).isFalse();
    assertThat(cache.entrySet().contains((Object) "a")).isFalse();
  }

  @Test
  void whatIsRemovedFromAViewIsRemovedFromTheCache() {
    assertThat(cache.keySet().remove("a")).isTrue();
    assertThat(cache.keySet().remove("a")).isFalse();
    assertThat(cache.entrySet().remove(Map.entry("b", 1))).isFalse();
    assertThat(cache.entrySet().remove(Map.entry("b", 2))).isTrue();
    assertThat(cache.values().remove(2)).isTrue();
    assertThat(cache.values().remove(2)).isFalse();
    assertThat(cache.isEmpty()).isTrue();
  }

  @Test
  void removesInBulk() {
    assertThat(cache.values().removeIf(value -> value == 2)).isTrue();
    assertThat(cache).isEqualTo(Map.of("a", 1));
    cache.putAll(Map.of("b", 2, "c", 3));
    assertThat(cache.keySet().retainAll(List.of("b", "c"))).isTrue();
    assertThat(cache.keySet().removeAll(Set.of("c", "z"))).isTrue();
    assertThat(cache).isEqualTo(Map.of("b", 2));
    cache.entrySet().clear();
    assertThat(cache.isEmpty()).isTrue();
    cache.put("a", 1);
    cache.values().clear();
    assertThat(cache.isEmpty()).isTrue();
    cache.put("a", 1);
    cache.keySet().clear();
    assertThat(cache.isEmpty()).isTrue();
  }

  @Test
  void anIteratorRemovesWhatItDeliveredLast() {
    for (Iterator<Map.Entry<String, Integer>> each = cache.entrySet().iterator();
        each.hasNext(); ) {
      if (each.next().getValue() == 2) {
        each.remove();
        assertThatIllegalStateException().isThrownBy(each::remove);
      }
    }
    assertThat(cache).isEqualTo(Map.of("a", 1));
    for (Iterator<Integer> each = cache.values().iterator(); each.hasNext(); ) {
      each.next();
      each.remove();
    }
    assertThat(cache.isEmpty()).isTrue();
    cache.put("a", 1);
    Iterator<String> keys = cache.keySet().iterator();
    assertThatIllegalStateException().isThrownBy(keys::remove);
    keys.next();
    keys.remove();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(keys.hasNext()).isFalse();
    assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(keys::next);
  }

  @Test
  void aClosedIteratorDeliversNothingMore() {
    CloseableIterator<String> keys = cache.keySet().iterator();
    keys.next();
    keys.close();
    assertThat(keys.hasNext()).isFalse();
    keys.close();
  }

  @Test
  void anEntryOfAnIteratorIsSetInTheCacheAndOneOfAStreamIsNot() {
    for (Map.Entry<String, Integer> entry : cache.entrySet()) {
      int before = entry.getValue();
      assertThat(entry.setValue(before + 10)).isEqualTo(before);
      assertThat(entry.getValue()).isEqualTo(before + 10);
      assertThat(entry).isEqualTo(Map.entry(entry.getKey(), before + 10));
      assertThat(entry).hasSameHashCodeAs(Map.entry(entry.getKey(), before + 10));
      assertThat(entry).hasToString(entry.getKey() + "=" + (before + 10));
    }
    assertThat(cache).isEqualTo(Map.of("a", 11, "b", 12, "c", 12));
    Map.Entry<String, Integer> ofStream = cache.entrySet().stream().findAny().orElseThrow();
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> ofStream.setValue(5));
  }

  @Test
  void anEntryOfAnIteratorCanBeAValueItself() {
    Cache<String, Map.Entry<String, Integer>> of = alone.node.cache("entries", CacheConfig.local());
    Map.Entry<String, Integer> entry = cache.entrySet().iterator().next();
    of.put("one", entry);
    assertThat(of.get("one")).isEqualTo(entry);
  }

  @Test
  void removalByValueKeepsChangedEntries() {
    assertThat(
            cache
                .values()
                .removeIf(
                    value -> {
                      cache.put("b", 7);
                      return value == 2;
                    }))
        .isTrue();
    assertThat(cache).isEqualTo(Map.of("a", 1, "b", 7));
    assertThat(
            cache
                .entrySet()
                .removeIf(
                    entry -> {
                      entry.setValue(8);
                      return true;
                    }))
        .isFalse();
    assertThat(cache).isEqualTo(Map.of("a", 8, "b", 8));
    assertThat(cache.values().removeAll(List.of(1))).isFalse();
    // More elements than the view has: AbstractSet would then iterate over the view, instead of
    // removing each given entry.
    Set<Map.Entry<String, Integer>> named =
        Set.of(Map.entry("a", 8), Map.entry("c", 2), Map.entry("d", 8));
    assertThat(cache.entrySet().removeAll(changing(named, () -> cache.put("a", 9)))).isFalse();
    assertThat(cache).isEqualTo(Map.of("a", 9, "b", 8));
    cache.put("a", 8);
    assertThat(cache.entrySet().retainAll(Set.of(Map.entry("a", 8)))).isTrue();
    assertThat(cache.values().retainAll(List.of(8))).isFalse();
    assertThat(cache).isEqualTo(Map.of("a", 8));
  }

  /** The same set, which makes a change as soon as it is asked anything. */
  private static <T> Set<T> changing(Set<T> some, Runnable change) {
    return new AbstractSet<>() {
      @Override
      public Iterator<T> iterator() {
        change.run();
        return some.iterator();
      }

      @Override
      public int size() {
        return some.size();
      }

      @Override
      public boolean contains(Object one) {
        change.run();
        return some.contains(one);
      }
    };
  }

  @Test
  void nothingIsAddedToAView() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.keySet().add("x"));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.values().add(1));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.entrySet().add(Map.entry("x", 1)));
  }

  @Test
  void viewsAreEqualToSetsOfTheSame() {
    assertThat(cache.keySet().equals(Set.of("a", "b", "c"))).isTrue();
    assertThat(Set.of("a", "b", "c").equals(cache.keySet())).isTrue();
    assertThat(cache.keySet().hashCode()).isEqualTo(Set.of("a", "b", "c").hashCode());
    assertThat(cache.entrySet().equals(Map.of("a", 1, "b", 2, "c", 2).entrySet())).isTrue();
    assertThat(cache.keySet().toArray(new String[0])).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void everyEntryComesOnceAcrossManyAnswers() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 0; i < 12_000; i++) {
      many.put("key" + i, i);
    }
    cache.clear();
    cache.putAll(many);
    List<String> keys = new ArrayList<>();
    cache.keySet().iterator().forEachRemaining(keys::add);
    assertThat(keys).hasSize(12_000);
    assertThat(new HashSet<>(keys)).isEqualTo(many.keySet());
    Map<String, Integer> entries = new HashMap<>();
    cache.entrySet().iterator().forEachRemaining(e -> entries.put(e.getKey(), e.getValue()));
    assertThat(entries).isEqualTo(many);
    assertThat(cache.values().stream().collect(Collectors.summingInt(v -> v)))
        .isEqualTo(many.values().stream().mapToInt(v -> v).sum());
  }

  @Test
  void largeValuesEndAnAnswerEarlyAndLoseNothing() {
    Cache<Integer, byte[]> large = alone.node.cache("large", CacheConfig.distributed().segments(2));
    for (int i = 0; i < 40; i++) {
      large.put(i, new byte[100_000 + i]);
    }
    Map<Integer, Integer> lengths = new HashMap<>();
    large.entrySet().iterator().forEachRemaining(e -> lengths.put(e.getKey(), e.getValue().length));
    assertThat(lengths).hasSize(40).allSatisfy((k, v) -> assertThat(v).isEqualTo(100_000 + k));
  }

  @Test
  void stableEntriesAreDeliveredOnceWhileOthersChange() {
    cache.clear();
    for (int i = 0; i < 4_000; i++) {
      cache.put((i % 2 == 0 ? "stay" : "go") + i, i);
    }
    List<String> seen = new ArrayList<>();
    int step = 0;
    for (String key : cache.keySet()) {
      seen.add(key);
      cache.remove("go" + (2 * step + 1));
      cache.put("new" + step, step);
      step++;
      if (step > 6_000) {
        break;
      }
    }
    assertThat(seen).doesNotHaveDuplicates();
    assertThat(seen.stream().filter(key -> key.startsWith("stay"))).hasSize(2_000);
  }
}
