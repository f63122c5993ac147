package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests iterators over what this node alone holds, which no message is sent for. */
final class LocalIterationTest {
  private static final int KEYS = 5_000;

  private final SingleNode alone = new SingleNode();
  private final Cache<String, Object> cache =
      alone.node.cache("here", CacheConfig.local().segments(16));

  @AfterEach
  void stop() {
    alone.close();
  }

  private Map<String, Object> fill() {
    Map<String, Object> texts = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      texts.put("key-" + i, "value-" + i);
    }
    texts.forEach(cache::put);
    return texts;
  }

  @Test
  void valuesThatNobodyCanChangeAreHandedOutThemselves() {
    Map<String, Object> texts = fill();
    Set<String> keys = new HashSet<>();
    for (Map.Entry<String, Object> entry : cache.entrySet()) {
      assertThat(entry.getValue()).isSameAs(texts.get(entry.getKey()));
      assertThat(keys.add(entry.getKey())).isTrue();
    }
    assertThat(keys).isEqualTo(texts.keySet());
    Set<Object> values = new HashSet<>();
    cache.values().forEach(values::add);
    assertThat(values).isEqualTo(new HashSet<>(texts.values()));
    assertThat(new HashSet<>(cache.keySet())).isEqualTo(texts.keySet());
  }

  @Test
  void streamsThatRunHereAreGivenThemToo() {
    Map<String, Object> texts = fill();
    List<Object> found = new ArrayList<>();
    cache.values().stream().iterator().forEachRemaining(found::add);
    assertThat(found).hasSize(KEYS);
    Set<Object> same = Collections.newSetFromMap(new IdentityHashMap<>());
    same.addAll(texts.values());
    assertThat(same.containsAll(found)).isTrue();
  }

  @Test
  void valuesThatCanBeChangedAreCopied() {
    byte[] bytes = {1, 2, 3};
    cache.put("bytes", bytes);
    byte[] first = (byte[]) cache.values().iterator().next();
    assertThat(first).isEqualTo(bytes).isNotSameAs(bytes);
    first[0] = 9;
    assertThat(cache.values().iterator().next()).isEqualTo(bytes);
  }

  @Test
  void whatStaysIsFoundOnceWhileOtherKeysComeAndGo() {
    Map<String, Object> texts = fill();
    Map<String, Integer> found = new HashMap<>();
    int other = 0;
    for (Iterator<Map.Entry<String, Object>> all = cache.entrySet().iterator(); all.hasNext(); ) {
      found.merge(all.next().getKey(), 1, Integer::sum);
      cache.put("other-" + other, "value");
      cache.remove("other-" + (other - 50));
      cache.put("key-" + other % KEYS, "value-" + other % KEYS);
      other++;
    }
    texts.keySet().forEach(key -> assertThat(found).containsEntry(key, 1));
    assertThat(found.values()).allMatch(count -> count == 1);
  }

  @Test
  void entriesOfAnIteratorWriteThroughAndCanBeRemoved() {
    fill();
    for (Map.Entry<String, Object> entry : cache.entrySet()) {
      entry.setValue("other");
    }
    assertThat(cache.values()).hasSize(KEYS).allMatch("other"::equals);
    Iterator<String> keys = cache.keySet().iterator();
    while (keys.hasNext()) {
      keys.next();
      keys.remove();
    }
    assertThat(cache).isEmpty();
  }

  @Test
  void heldElementsAreCountedAndFewAndGivenBack() {
    fill();
    CloseableIterator<Object> values = cache.values().stream().iterator();
    values.next();
    assertThat(alone.node.scanFigures().elementsWaiting()).isBetween(1L, 64L);
    values.close();
    assertThat(values.hasNext()).isFalse();
    assertThat(alone.node.scanFigures().elementsWaiting()).isZero();
    cache.put("long", "x".repeat(100_000));
    Iterator<Object> all = cache.values().iterator();
    while (all.hasNext()) {
      all.next();
      assertThat(alone.node.scanFigures().bytesWaiting()).isLessThan(110_000);
    }
    assertThat(alone.node.scanFigures().elementsWaiting()).isZero();
    assertThat(alone.node.scanFigures().bytesWaiting()).isZero();
  }

  @Test
  void iteratorOfADestroyedCacheOrAClosedNodeSaysSo() {
    fill();
    Iterator<String> destroyed = cache.keySet().iterator();
    destroyed.next();
    alone.node.destroy("here");
    assertThatThrownBy(() -> destroyed.forEachRemaining(key -> {}))
        .isInstanceOf(CacheDestroyedException.class);
    Cache<String, Integer> next = alone.node.cache("next", CacheConfig.local().segments(16));
    for (int i = 0; i < KEYS; i++) {
      next.put("key-" + i, i);
    }
    Iterator<String> closed = next.keySet().iterator();
    closed.next();
    alone.node.close();
    assertThatThrownBy(() -> closed.forEachRemaining(key -> {}))
        .isInstanceOf(IllegalStateException.class);
  }
}
