package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.PartialWriteException;
import io.cantle.WhenFull;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.function.SerializableComparator;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests which entries of a cache that keeps objects have no bytes, and that they work as others.
 */
final class ObjectsOnlyTest {
  private static final CacheConfig OBJECTS =
      CacheConfig.local().segments(4).container(ContainerKind.OBJECTS);

  private static final SerializableComparator<Object> OF_TEXT =
      (one, other) -> String.valueOf(one).compareTo(String.valueOf(other));

  private static final ExpiryTime EXPIRY = new ExpiryTime(1_000, 500, 0);

  private final SingleNode alone = new SingleNode(ObjectsOnlyTest.class.getPackageName());
  private final Cache<Object, Object> cache = alone.node.cache("objects", OBJECTS);

  record Place(String name, int number) {}

  record Order(Place place, LocalDate day) {}

  record Chain(int number, @Nullable Chain next) {}

  enum Color {
    RED,
    BLUE
  }

  @AfterEach
  void stop() {
    alone.close();
  }

  private List<Entry> entries() {
    List<Entry> all = new ArrayList<>();
    alone.node.node().replicas.all().forEach(replica -> replica.entries().forEach(all::add));
    return all.stream().filter(entry -> !entry.isTombstone()).toList();
  }

  private void assertObjectsOnly(boolean expected) {
    assertThat(entries())
        .isNotEmpty()
        .allSatisfy(entry -> assertThat(entry.hasObjectsOnly()).isEqualTo(expected));
  }

  @Test
  void noWriteLeavesBytesOfWhatNobodyCanChange() {
    BiFunction<Object, Object, Object> longer = (key, value) -> value + "!";
    Function<Object, Object> made = key -> "made of " + key;
    List<Consumer<Object>> writes =
        List.of(
            key -> cache.put(key, "text"),
            key -> cache.putIfAbsent(key, 1_234_567L),
            key -> cache.putAll(Map.of(key, new UUID(1, 2))),
            key -> cache.computeIfAbsent(key, made),
            key -> cache.put(key, new Order(new Place("x", 1), LocalDate.EPOCH)),
            key -> cache.put(key, List.of("a", 7)),
            key -> cache.put(key, Color.RED),
            key -> {
              cache.put(key, "text");
              cache.compute(key, longer);
              cache.merge(key, "more", (one, other) -> one + "" + other);
              cache.replace(key, "next");
            });
    for (Consumer<Object> write : writes) {
      for (Object key : List.of("key", 7, new UUID(3, 4), "ключ".repeat(100))) {
        write.accept(key);
        assertObjectsOnly(true);
        assertThat(cache.get(key)).isNotNull();
        assertThat(cache.remove(key)).isNotNull();
        assertThat(cache.isEmpty()).isTrue();
      }
    }
    for (Object key : List.of(new Place("y", 2), Color.RED, List.of(1, "x"))) {
      cache.put(key, "text");
      assertObjectsOnly(true);
      assertThat(cache.remove(key)).isEqualTo("text");
    }
  }

  @Test
  void whatMayRunCodeOfAUserIsNotDecodedByAWrite() {
    cache.putAll(Map.of("record", new Place("x", 1), "list", List.of(1), "constant", Color.RED));
    assertObjectsOnly(false);
    assertThat(cache.get("constant")).isEqualTo(Color.RED);
    cache.put("record", new Place("x", 2));
    cache.put("list", List.of(2));
    cache.put("constant", Color.BLUE);
    assertObjectsOnly(true);
  }

  @Test
  void keyObjectOfTheFirstPutStays() {
    // The first write of all finds out that the grid is used, and has the bytes of its key only.
    cache.put("other", 0);
    cache.remove("other");
    String first = "the key";
    cache.put(first, 1);
    cache.put(new String(first.toCharArray()), 2);
    for (Object key : cache.keySet()) {
      assertThat(key).isSameAs(first);
    }
  }

  @Test
  void whatCannotBeEncodedIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put("key", Thread.State.NEW))
        .withMessageContaining("Thread");
    Chain deep = new Chain(0, null);
    for (int i = 1; i < 100_000; i++) {
      deep = new Chain(i, deep);
    }
    Chain chain = deep;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put(chain, "text"))
        .withMessageContaining("64");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put("key", chain))
        .withMessageContaining("64");
    assertThat(cache.isEmpty()).isTrue();
  }

  @Test
  void bulkWritesAreRefusedByTheSizeOfTheirObjects() {
    CacheConfig config = OBJECTS.maxBytes(64 << 10).whenFull(WhenFull.REFUSE);
    Cache<Object, Object> full = alone.node.cache("full", config);
    Map<Object, Object> many =
        IntStream.range(0, 2_000).boxed().collect(Collectors.toMap(i -> "key-" + i, i -> i + ""));
    assertThatThrownBy(() -> full.putAll(many)).isInstanceOf(PartialWriteException.class);
    assertObjectsOnly(true);
    long counted = entries().stream().mapToLong(Entry::sizeBytes).sum();
    assertThat(counted).isBetween(56L << 10, 64L << 10);
    // What is as long as before needs no room.
    full.keySet().forEach(key -> full.put(key, Objects.requireNonNull(full.get(key))));
  }

  @Test
  void whatCanBeChangedKeepsItsBytes() {
    cache.put("array", new byte[] {1});
    cache.put("list", new ArrayList<>(List.of(1)));
    cache.put(new byte[] {1}, "text");
    assertObjectsOnly(false);
    assertThat(cache.get(new byte[] {1})).isEqualTo("text");
  }

  @Test
  void keyIsFoundByAnEqualOne() {
    for (int i = 0; i < 1_000; i++) {
      cache.put("key-" + i, i);
      cache.put(new Place("key", i), i);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(cache.get("key-" + i)).isEqualTo(i);
      assertThat(cache.put(new Place("key", i), -i)).isEqualTo(i);
      assertThat(cache.containsKey("key-" + ~i)).isFalse();
    }
    assertThat(cache).hasSize(2_000);
    assertThat(cache.getAll(List.of("key-1", new Place("key", 2))))
        .isEqualTo(Map.of("key-1", 1, new Place("key", 2), -2));
  }

  @Test
  void streamsAndIteratorsAreAsOverBytes() {
    Map<Object, Object> expected =
        IntStream.range(0, 5_000)
            .boxed()
            .collect(Collectors.toMap(i -> "key-" + i, i -> new Place("place", i)));
    expected.forEach(cache::put);
    assertThat(cache.entrySet()).hasSize(5_000);
    assertThat(Map.copyOf(cache)).isEqualTo(expected);
    assertThat(cache.values().stream().mapToInt(value -> ((Place) value).number()).sum())
        .isEqualTo(4_999 * 2_500);
    assertThat(cache.keySet().stream().filter(key -> ((String) key).endsWith("7")).count())
        .isEqualTo(500);
    assertThat(cache.entrySet().stream().sorted(Map.Entry.comparingByKey(OF_TEXT)).limit(2))
        .extracting(Map.Entry::getKey)
        .containsExactly("key-0", "key-1");
    assertObjectsOnly(true);
    cache.clear();
    assertThat(cache.isEmpty()).isTrue();
  }

  @Test
  void readOfAnIdleEntryLeavesNoBytes() {
    Cache<Object, Object> idle =
        alone.node.cache("idle", OBJECTS.maxIdle(Duration.ofHours(1)).lifespan(Duration.ofDays(1)));
    idle.put("key", "text");
    assertThat(idle.get("key")).isEqualTo("text");
    assertThat(entries()).hasSize(1);
    assertObjectsOnly(true);
    assertThat(entries().getFirst().withTouch(entries().getFirst().version(), EXPIRY))
        .matches(Entry::hasObjectsOnly);
  }

  @Test
  void comparisonsAreByBytesAndByEquals() {
    cache.put("key", new Place("x", 1));
    assertThat(cache.replace("key", new Place("x", 2), "text")).isFalse();
    assertThat(cache.replace("key", new Place("x", 1), "text")).isTrue();
    assertThat(cache.remove("key", "other")).isFalse();
    assertThat(cache.remove("key", "text")).isTrue();
  }

  @Test
  void valueThatIsTooLongIsRefused() {
    String tooLong = "x".repeat(ByteCache.MAX_VALUE_BYTES);
    assertThatIllegalArgumentException().isThrownBy(() -> cache.put("key", tooLong));
    String half = tooLong.substring(tooLong.length() / 2);
    cache.put("key", half);
    assertThat(cache.get("key")).isEqualTo(half);
    assertObjectsOnly(false);
  }

  @Test
  void boundOfBytesCountsObjects() {
    Cache<Object, Object> bounded = alone.node.cache("bounded", OBJECTS.maxBytes(256 << 10));
    for (int i = 0; i < 5_000; i++) {
      bounded.put("key-" + i, "value of " + i);
    }
    long counted = entries().stream().mapToLong(Entry::sizeBytes).sum();
    assertThat(counted).isBetween(100L << 10, 256L << 10);
    assertThat(bounded.statistics().evictions()).isPositive();
    assertObjectsOnly(true);
    Stream<Object> kept = bounded.keySet().stream().filter(Objects::nonNull);
    assertThat(kept.count()).isEqualTo(bounded.size());
  }
}
