package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableFunction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the compiler can choose between the overloads of a cache, whatever stands for a
 * function: a lambda, a reference to one method or to several of a name, a constructor, a variable.
 */
class OverloadTest {
  private final SingleNode single = new SingleNode(OverloadTest.class.getPackageName());
  private final Cache<Integer, Integer> numbers = single.node.cache("numbers");
  private final Cache<String, String> texts = single.node.cache("texts");
  private final Cache<Integer, List<String>> lists = single.node.cache("lists");

  @AfterEach
  void close() {
    single.close();
  }

  private static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void compute() {
    numbers.put(1, 5);
    assertThat(numbers.compute(1, (k, v) -> v == null ? k : k + v)).isEqualTo(6);
    assertThat(numbers.compute(1, Integer::sum)).isEqualTo(7);
    assertThat(numbers.compute(1, Math::max)).isEqualTo(7);
    assertThat(numbers.compute(2, Objects::hash)).isEqualTo(Objects.hash(2, null));
    BiFunction<Integer, Integer, Integer> plain = Integer::sum;
    SerializableBiFunction<Integer, Integer, Integer> sent = Integer::sum;
    assertThat(numbers.compute(1, plain)).isEqualTo(8);
    assertThat(numbers.compute(1, sent)).isEqualTo(9);
    assertThat(await(numbers.computeAsync(1, (k, v) -> v))).isEqualTo(9);
    assertThat(await(numbers.computeAsync(1, Math::max))).isEqualTo(9);
    assertThat(await(numbers.computeAsync(1, plain))).isEqualTo(10);
  }

  @Test
  void computeIfAbsent() {
    assertThat(numbers.computeIfAbsent(1, k -> k + 1)).isEqualTo(2);
    assertThat(numbers.computeIfAbsent(2, Math::abs)).isEqualTo(2);
    assertThat(numbers.computeIfAbsent(3, Function.identity())).isEqualTo(3);
    assertThat(lists.computeIfAbsent(4, ArrayList::new)).isEmpty();
    assertThat(lists.computeIfAbsent(5, k -> new ArrayList<>(List.of("a")))).containsExactly("a");
    assertThat(texts.computeIfAbsent("a", String::toUpperCase)).isEqualTo("A");
    SerializableFunction<Integer, Integer> sent = k -> k * 2;
    assertThat(numbers.computeIfAbsent(6, sent)).isEqualTo(12);
    assertThat(await(numbers.computeIfAbsentAsync(7, k -> k))).isEqualTo(7);
    assertThat(await(numbers.computeIfAbsentAsync(8, Math::abs))).isEqualTo(8);
    assertThat(await(texts.computeIfAbsentAsync("b", String::new))).isEqualTo("b");
  }

  @Test
  void computeIfPresent() {
    texts.put("a", "b");
    assertThat(texts.computeIfPresent("a", String::concat)).isEqualTo("ab");
    assertThat(texts.computeIfPresent("a", (k, v) -> v.equals("ab") ? null : v)).isNull();
    numbers.put(1, 2);
    assertThat(numbers.computeIfPresent(1, Math::min)).isEqualTo(1);
    assertThat(await(numbers.computeIfPresentAsync(1, Math::addExact))).isEqualTo(2);
    assertThat(await(texts.computeIfPresentAsync("a", (k, v) -> v))).isNull();
  }

  @Test
  void merge() {
    assertThat(numbers.merge(1, 5, Integer::sum)).isEqualTo(5);
    assertThat(numbers.merge(1, 5, Math::multiplyExact)).isEqualTo(25);
    assertThat(numbers.merge(1, 5, (a, b) -> a - b)).isEqualTo(20);
    assertThat(numbers.merge(1, 5, (a, b) -> null)).isNull();
    texts.put("a", "b");
    assertThat(texts.merge("a", "c", String::concat)).isEqualTo("bc");
    lists.put(1, new ArrayList<>(List.of("a")));
    assertThat(
            lists.merge(
                1,
                List.of("b"),
                (a, b) -> {
                  List<String> both = new ArrayList<>(a);
                  both.addAll(b);
                  return both;
                }))
        .containsExactly("a", "b");
    assertThat(await(numbers.mergeAsync(2, 5, Integer::sum))).isEqualTo(5);
    assertThat(await(numbers.mergeAsync(2, 5, Math::max))).isEqualTo(5);
    assertThat(await(numbers.mergeAsync(2, 5, (a, b) -> a + b))).isEqualTo(10);
  }

  @Test
  void replaceAll() {
    numbers.putAll(Map.of(1, 10, 2, 20));
    numbers.replaceAll((k, v) -> k + v);
    numbers.replaceAll(Math::max);
    BiFunction<Integer, Integer, Integer> plain = Integer::sum;
    numbers.replaceAll(plain);
    assertThat(numbers).isEqualTo(new TreeMap<>(Map.of(1, 12, 2, 24)));
    texts.put("a", "b");
    texts.replaceAll(String::concat);
    assertThat(texts.get("a")).isEqualTo("ab");
  }

  @Test
  void comparators() {
    texts.putAll(Map.of("a", "zz", "b", "y", "c", "xx"));
    assertThat(
            texts.values().stream()
                .sorted(
                    SerializableComparator.comparing(String::length)
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()))
                .limit(2)
                .toList())
        .containsExactly("xx", "zz");
    assertThat(
            texts.entrySet().stream()
                .sorted(SerializableComparator.comparing(e -> e.getValue()))
                .map(Map.Entry::getKey)
                .toList())
        .containsExactly("c", "b", "a");
    assertThat(
            texts.values().stream()
                .min(SerializableComparator.comparingInt(String::length).thenComparing(t -> t)))
        .contains("y");
    assertThat(texts.values().stream().sorted(Comparator.comparingInt(t -> t.length())).findFirst())
        .contains("y");
    assertThat(texts.entrySet().stream().min(Map.Entry.comparingByValue()))
        .contains(Map.entry("c", "xx"));
  }

  @Test
  void collectors() {
    texts.putAll(Map.of("a", "zz", "b", "y", "c", "xx"));
    assertThat(
            texts.values().stream()
                .collect(() -> Collectors.groupingBy(t -> t.length(), Collectors.counting())))
        .isEqualTo(Map.of(1, 1L, 2, 2L));
    assertThat(texts.keySet().stream().collect(Collectors.joining())).hasSize(3);
    long count = texts.keySet().stream().collect(Collectors::counting);
    assertThat(count).isEqualTo(3);
  }
}
