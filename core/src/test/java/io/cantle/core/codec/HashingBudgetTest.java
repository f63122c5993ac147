package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheCollectors;
import io.cantle.core.base.MalformedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.fory.Fory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The limit of what hashing an object graph may cost, whatever wrote it. */
final class HashingBudgetTest {
  /** Deep enough to take seconds, but shallow enough to end without a limit. */
  private static final int DEPTH = 22;

  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")),
          HashingBudgetTest.class.getClassLoader());

  record Pair(Object left, Object right) {}

  record Basket(Set<String> tags, Map<List<String>, Integer> counts) {}

  @SuppressWarnings("serial") // Never serialized.
  static final class Tags extends HashSet<Object> {}

  @SuppressWarnings("serial") // Never serialized.
  static final class Table extends HashMap<Object, Object> {}

  /** Sets in sets, each holding the same two; built from outside to inside, which is fast. */
  private static Set<Object> nested(int depth, Supplier<Set<Object>> empty) {
    Set<Object> outermost = empty.get();
    Set<Object> one = outermost;
    Set<Object> other = empty.get();
    for (int i = 0; i < depth; i++) {
      Set<Object> first = empty.get();
      Set<Object> second = empty.get();
      first.add("foo");
      one.add(first);
      one.add(second);
      other.add(first);
      other.add(second);
      one = first;
      other = second;
    }
    return outermost;
  }

  /** An object that holds the same object twice, and so on. */
  private static Object twice(int depth) {
    Object all = "foo";
    for (int i = 0; i < depth; i++) {
      all = i % 2 == 0 ? new ArrayList<>(List.of(all, all)) : new Pair(all, all);
    }
    return all;
  }

  /** The bytes that a peer without a budget would write. */
  private static byte[] bytes(Object value) {
    Fory fory =
        Fory.builder()
            .withXlang(false)
            .withRefTracking(true)
            .withCompatible(true)
            .serializeEnumByName(true)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withJdkClassSerializableCheck(false)
            .withMaxDepth(1_000)
            .build();
    byte[] graph = fory.serialize(value);
    byte[] bytes = new byte[graph.length + 1];
    bytes[0] = Codec.OBJECT_FORM;
    System.arraycopy(graph, 0, bytes, 1, graph.length);
    return bytes;
  }

  /**
   * Names the kinds of sets. As arguments of a test, the sets' text would take as long as their
   * hash.
   */
  enum Kind {
    HASH_SET,
    LINKED_HASH_SET,
    CONCURRENT,
    OVER_A_MAP,
    OF_THE_USERS;

    Set<Object> empty() {
      return switch (this) {
        case HASH_SET -> new HashSet<>();
        case LINKED_HASH_SET -> new LinkedHashSet<>();
        case CONCURRENT -> ConcurrentHashMap.newKeySet();
        case OVER_A_MAP -> Collections.newSetFromMap(new HashMap<>());
        case OF_THE_USERS -> new Tags();
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void setsThatShareWhatTheyHoldAreRefusedWhenTheyAreWritten(Kind kind) {
    Set<Object> value = nested(DEPTH, kind::empty);
    assertThatThrownBy(() -> CODEC.encodeValue(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the limit for its length")
        .hasMessageContaining("hold the same objects too often");
  }

  @ParameterizedTest
  @EnumSource
  void setsThatShareWhatTheyHoldAreRefusedWhenTheyAreRead(Kind kind) {
    byte[] bytes = bytes(nested(DEPTH, kind::empty));
    assertThat(bytes.length).isLessThan(1_000);
    assertThatThrownBy(() -> CODEC.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("the limit for its length");
  }

  @Test
  void aCollectedMapIsSentAsAHashMapAndCountedLikeOne() {
    Map<Integer, String> map =
        Stream.of(1, 2, 3).collect(CacheCollectors.toMap(i -> i, i -> "v" + i));
    byte[] bytes = CODEC.encodeValue(new Pair(map, List.of(map, "x")));

    Pair read = (Pair) CODEC.decodeValue(bytes, 0, bytes.length);
    assertThat(read.left()).isInstanceOf(HashMap.class).isEqualTo(map);
    assertThat(((List<?>) read.right()).getFirst()).isSameAs(read.left());
    byte[] alone = CODEC.encodeValue(map);
    assertThat(CODEC.decodeValue(alone, 0, alone.length)).isEqualTo(map);
    Map<Object, Object> costly =
        Stream.of(nested(DEPTH, HashSet::new)).collect(CacheCollectors.toMap(key -> key, key -> 1));
    assertThatThrownBy(() -> CODEC.encodeValue(costly))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the limit for its length");
    byte[] forged = bytes(costly);
    assertThatThrownBy(() -> CODEC.decodeValue(forged, 0, forged.length))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void keysAndElementsOfAnyKindAreLookedInto() {
    Object costly = twice(DEPTH);
    List<Object> hashing =
        List.of(
            Set.of(costly),
            new HashSet<>(Set.of(costly)),
            Map.of(costly, 1),
            new HashMap<>(Map.of(costly, 1)),
            new CopyOnWriteArraySet<>(List.of(costly)),
            new HashSet<>(List.of(Optional.of(costly))),
            new HashSet<>(List.of(Map.entry("k", costly))),
            new HashSet<>(List.of(Map.of("k", costly))));
    for (Object value : hashing) {
      byte[] bytes = bytes(value);
      assertThatThrownBy(() -> CODEC.decodeValue(bytes, 0, bytes.length))
          .as(value.getClass().getName())
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("the limit for its length");
    }
  }

  @Test
  void usualSetsAndMapsComeBack() {
    List<String> shared = List.of("red", "green");
    Map<List<String>, Integer> counts = new HashMap<>();
    Set<Object> pairs = new LinkedHashSet<>();
    IntStream.range(0, 2_000)
        .forEach(
            i -> {
              counts.put(List.of("k" + i, "red"), i);
              pairs.add(new Pair(i, shared));
            });
    Tags tags = new Tags();
    tags.add(Set.of(1, 2, 3));
    Table table = new Table();
    table.put(Set.of("a"), new Pair("l", Map.of("x", 1)));
    Collection<Object> all =
        List.of(
            new Basket(Set.of("a", "b"), counts),
            pairs,
            tags,
            table,
            new ConcurrentHashMap<>(counts),
            new CopyOnWriteArraySet<>(pairs),
            ConcurrentHashMap.newKeySet(),
            Map.of(Set.of(1), Set.of(2, 3, 4)),
            Collections.unmodifiableMap(counts));
    for (Object value : all) {
      byte[] bytes = CODEC.encodeValue(value);
      Object read = CODEC.decodeValue(bytes, 0, bytes.length);
      assertThat(read).isEqualTo(value).hasSameClassAs(value);
      assertThat(CODEC.encodeValue(read)).hasSameSizeAs(bytes);
    }
  }

  @Test
  void setOverAMapIsOneWhenItComesBack() {
    Set<Object> set = Collections.newSetFromMap(new HashMap<>());
    set.addAll(List.of("a", Set.of("b")));
    byte[] bytes = CODEC.encodeValue(set);
    Object read = CODEC.decodeValue(bytes, 0, bytes.length);
    assertThat(read).isEqualTo(set).hasSameClassAs(set);
    assertThat(CODEC.encodeValue(read)).isEqualTo(bytes);
  }

  @Test
  void setThatHoldsAListThatHoldsItComesBack() {
    List<Object> list = new ArrayList<>();
    Map<String, Object> map = new HashMap<>();
    map.put("list", list);
    list.add(map);
    byte[] bytes = CODEC.encodeValue(list);
    Object read = CODEC.decodeValue(bytes, 0, bytes.length);
    assertThat(((Map<?, ?>) ((List<?>) read).getFirst()).get("list")).isSameAs(read);
  }
}
