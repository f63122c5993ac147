package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheCollectors;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The map of {@link CacheCollectors#toMap}, beside that of the JDK. */
class CollectedMapTest {
  /** A key whose hash is the same for all of them. */
  private record SameHash(int number) {
    @Override
    public int hashCode() {
      return 7;
    }
  }

  private static Map<Integer, String> collect(Stream<Integer> numbers) {
    return numbers.collect(CacheCollectors.toMap(i -> i, i -> "v" + i));
  }

  private static Map<Integer, String> collect(int count) {
    return collect(IntStream.range(0, count).boxed());
  }

  @Test
  void hasTheEntriesOfAnyNumberOfElements() {
    for (int count : new int[] {0, 1, 15, 16, 17, 1_000, 100_000}) {
      List<Integer> spread = IntStream.range(0, count).mapToObj(i -> i * 0x10001).toList();

      assertThat(collect(spread.stream()))
          .isEqualTo(spread.stream().collect(Collectors.toMap(i -> i, i -> "v" + i)));
      assertThat(collect(spread.stream().parallel()))
          .hasSize(count)
          .isEqualTo(collect(spread.stream()));
    }
  }

  @Test
  void refusesTwoElementsOfOneKeyWithTheTextOfTheJdk() {
    List<Integer> numbers = List.of(5, 3, 4, 3);

    assertThatThrownBy(() -> collect(numbers.stream()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Duplicate key 3 (attempted merging values v3 and v3)");
    assertThatThrownBy(() -> numbers.stream().collect(Collectors.toMap(i -> i, i -> "v" + i)))
        .hasMessage("Duplicate key 3 (attempted merging values v3 and v3)");
  }

  @Test
  @SuppressWarnings("NullAway") // What is refused is null.
  void takesANullKeyAndRefusesANullValue() {
    Map<@Nullable Integer, Integer> map =
        Stream.of(1, 2).collect(CacheCollectors.toMap(i -> i == 1 ? null : i, i -> i));

    assertThat(map).hasSize(2).containsEntry(null, 1).containsEntry(2, 2);
    assertThatNullPointerException()
        .isThrownBy(() -> Stream.of(1).collect(CacheCollectors.toMap(i -> i, i -> null)));
    assertThatNullPointerException()
        .isThrownBy(
            () -> Stream.of(1).collect(CacheCollectors.toUnmodifiableMap(i -> null, i -> i)));
  }

  @Test
  void copesWithKeysThatAllHaveOneHash() {
    int count = 20_000;
    List<SameHash> keys = IntStream.range(0, count).mapToObj(SameHash::new).toList();

    Map<SameHash, Integer> few =
        keys.stream().limit(1_000).collect(CacheCollectors.toMap(k -> k, SameHash::number));
    assertThat(few).hasSize(1_000).containsEntry(new SameHash(999), 999);

    List<String> texts = textsOfOneHash(14);
    assertThat(texts.stream().map(String::hashCode).distinct()).hasSize(1);
    Map<String, Integer> many =
        texts.stream().collect(CacheCollectors.toMap(t -> t, String::length));
    assertThat(many).hasSize(1 << 14).containsKeys(texts.getFirst(), texts.getLast());
    List<String> twice = new ArrayList<>(texts);
    twice.add(texts.getLast());
    assertThatThrownBy(() -> twice.stream().collect(CacheCollectors.toMap(t -> t, String::length)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Duplicate key " + texts.getLast());
  }

  /** Returns 2^blocks texts; "Aa" and "BB" have the same hash. */
  private static List<String> textsOfOneHash(int blocks) {
    List<String> texts = List.of("");
    for (int block = 0; block < blocks; block++) {
      texts = texts.stream().flatMap(text -> Stream.of(text + "Aa", text + "BB")).toList();
    }
    return texts;
  }

  @Test
  void changesAsAHashMapDoes() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Map<Integer, String> map = collect(random.nextInt(40));
      Map<Integer, String> expected = new HashMap<>(map);
      for (int step = 0; step < 2_000; step++) {
        int key = random.nextInt(60);
        String value = "s" + step;
        Function<Map<Integer, String>, @Nullable Object> change = change(random, key, value);
        assertThat(change.apply(map))
            .as("seed %d, step %d", seed, step)
            .isEqualTo(change.apply(expected));
        assertThat(map.size()).as("seed %d, step %d", seed, step).isEqualTo(expected.size());
        if (step % 50 == 0) {
          assertThat(map).as("seed %d, step %d", seed, step).isEqualTo(expected);
          assertThat(map.keySet()).isEqualTo(expected.keySet());
          assertThat(map.entrySet()).isEqualTo(expected.entrySet());
          assertThat(map.values()).containsExactlyInAnyOrderElementsOf(expected.values());
          assertThat(map.hashCode()).isEqualTo(expected.hashCode());
        }
      }
    }
  }

  private static Function<Map<Integer, String>, @Nullable Object> change(
      Random random, int key, String value) {
    return switch (random.nextInt(14)) {
      case 0, 1, 2 -> map -> map.put(key, value);
      case 3 -> map -> map.remove(key);
      case 4 -> map -> map.putIfAbsent(key, value);
      case 5 -> map -> map.merge(key, value, String::concat);
      case 6 -> map -> map.computeIfPresent(key, (k, v) -> v.length() > 8 ? null : v + k);
      case 7 -> map -> map.keySet().remove(key);
      case 8 -> map -> map.entrySet().remove(Map.entry(key, "v" + key));
      case 9 -> map -> map.entrySet().contains(new SimpleImmutableEntry<>(key, map.get(key)));
      case 10 -> map -> map.containsKey(key);
      case 11 -> map -> map.values().removeIf(v -> v.endsWith("7"));
      case 12 ->
          map -> {
            map.entrySet()
                .forEach(e -> e.setValue(e.getValue().equals("v5") ? value : e.getValue()));
            return map.get(5);
          };
      default ->
          map -> {
            if (key == 0) {
              map.clear();
            }
            return map.keySet().isEmpty();
          };
    };
  }

  @Test
  void anIterationFailsIfTheMapChanges() {
    Map<Integer, String> map = collect(3);
    Iterator<Integer> keys = map.keySet().iterator();
    assertThatThrownBy(keys::remove).isInstanceOf(IllegalStateException.class);
    keys.next();
    map.put(100, "x");

    assertThatThrownBy(keys::next).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(keys::remove).isInstanceOf(ConcurrentModificationException.class);
    Iterator<String> none = collect(0).values().iterator();
    assertThatThrownBy(none::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void anEntryThatWasRemovedIsNotPutBackByItsValue() {
    Map<Integer, String> map = collect(3);
    Iterator<Map.Entry<Integer, String>> entries = map.entrySet().iterator();
    Map.Entry<Integer, String> removed = entries.next();
    entries.remove();

    assertThat(removed.setValue("late")).isEqualTo("v0");
    assertThat(removed.getValue()).isEqualTo("late");
    assertThat(map).hasSize(2).doesNotContainKey(0);
    assertThat(entries.next().getKey()).isEqualTo(1);
  }

  @Test
  void isSerializedAsAHashMap() throws Exception {
    Map<Integer, String> map = collect(100);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(map);
    }

    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(in.readObject()).isInstanceOf(HashMap.class).isEqualTo(map);
    }
  }
}
