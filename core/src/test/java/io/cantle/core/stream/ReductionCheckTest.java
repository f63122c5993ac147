package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that a reduction gives what the JDK gives for a sequential stream, or is refused because it
 * would depend on how entries are divided.
 */
class ReductionCheckTest {
  private static final int COUNT = 200;

  private final CacheStreamSource<Integer, Flight> source =
      new ListScanner(1, Flight.some(1, COUNT)).streams();

  private static IntStream jdk() {
    return IntStream.range(0, COUNT);
  }

  @Test
  void theIdentityOfAReductionCountsOnce() {
    for (int identity : new int[] {0, 1, 10, -7, Integer.MAX_VALUE}) {
      assertThat(source.keyStream().reduce(identity, Integer::sum))
          .isEqualTo(jdk().boxed().reduce(identity, Integer::sum))
          .isEqualTo(source.keyStream().mapToInt(k -> k).reduce(identity, Integer::sum));
      assertThat(source.keyStream().filter(k -> k < 0).reduce(identity, Integer::sum))
          .isEqualTo(identity);
      assertThat(source.keyStream().reduce(identity, Math::min))
          .isEqualTo(jdk().reduce(identity, Math::min));
    }
    assertThat(source.keyStream().mapToLong(k -> k).reduce(5, Long::sum))
        .isEqualTo(jdk().asLongStream().reduce(5, Long::sum));
    assertThat(source.keyStream().mapToDouble(k -> k / 4.0).reduce(0.5, Double::sum))
        .isEqualTo(jdk().mapToDouble(k -> k / 4.0).reduce(0.5, Double::sum));
  }

  @Test
  void theIdentityIsTheLeftmostOperand() {
    assertThat(source.keyStream().map(k -> k + ",").reduce(">", String::concat))
        .isEqualTo(jdk().mapToObj(k -> k + ",").reduce(">", String::concat));
  }

  @Test
  @SuppressWarnings("NullAway") // The JDK allows a null identity.
  void nullIsAnIdentity() {
    BinaryOperator<Integer> orOther = (a, b) -> a == null ? b : Integer.valueOf(a + b);
    assertThat(source.keyStream().reduce(null, (a, b) -> a == null ? b : Integer.valueOf(a + b)))
        .isEqualTo(jdk().boxed().reduce(null, orOther));
    assertThat(source.keyStream().filter(k -> k < 0).reduce(null, (a, b) -> Objects.hash(a, b)))
        .isNull();
  }

  @Test
  void anOperatorThatIsNotAssociativeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce(1_000, (a, b) -> a - b))
        .withMessageContainingAll(
            "not associative", "1000", "would depend on what they own", "as a BinaryOperator");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().mapToInt(k -> k).reduce(1_000, (a, b) -> a - b))
        .withMessageContaining("not associative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce((a, b) -> (a + b) / 2))
        .withMessageContaining("not associative");
    BinaryOperator<Integer> minus = (a, b) -> a - b;
    IntBinaryOperator minusInts = (a, b) -> a - b;
    assertThat(source.keyStream().reduce(1_000, minus))
        .isEqualTo(jdk().boxed().reduce(1_000, minus))
        .isEqualTo(source.keyStream().mapToInt(k -> k).reduce(1_000, minusInts));
  }

  @Test
  void anOverflowOfTheCheckSaysNothing() {
    assertThat(source.keyStream().map(k -> Integer.MAX_VALUE).reduce(0, Math::max))
        .isEqualTo(Integer.MAX_VALUE);
    assertThat(
            source
                .keyStream()
                .filter(k -> k == 7)
                .map(k -> Integer.MAX_VALUE / 2)
                .reduce(0, Math::addExact))
        .isEqualTo(Integer.MAX_VALUE / 2);
  }

  @Test
  void aValueThatIsNoIdentityOfTheCombinerIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.valueStream().reduce(10, (n, f) -> n + 1, Integer::sum))
        .withMessageContainingAll(
            "reduce begins with 10, which is no identity of its combiner",
            "add what else there is to the result");
    assertThat(10 + source.valueStream().reduce(0, (n, f) -> n + 1, Integer::sum))
        .isEqualTo(10 + COUNT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce(2.0, (n, k) -> n * 1.5, (a, b) -> a * b))
        .withMessageContaining("no identity");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce(">", (t, k) -> t + k, String::concat))
        .withMessageContaining("no identity");
  }

  @Test
  void aCombinerThatDropsASideIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce(0, (n, k) -> n + k, (a, b) -> a))
        .withMessageContaining("no identity");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().reduce(0, (n, k) -> n + k, (a, b) -> b))
        .withMessageContaining("no identity");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                source
                    .keyStream()
                    .<Set<Integer>>collect(HashSet::new, (set, k) -> set.add(k), (a, b) -> {}))
        .withMessageContaining("no identity");
  }

  @Test
  void aValueThatIsIdempotentMayBeTheIdentity() {
    assertThat(source.keyStream().reduce(50, (n, k) -> Math.max(n, k), Math::max))
        .isEqualTo(COUNT - 1);
    assertThat(source.keyStream().reduce(false, (any, k) -> any || k == 7, Boolean::logicalOr))
        .isTrue();
  }

  @Test
  void containersWithoutEqualityAreNotRefused() {
    assertThat(
            source
                .keyStream()
                .mapToDouble(k -> k / 7.0)
                .collect(
                    DoubleSummaryStatistics::new,
                    DoubleSummaryStatistics::accept,
                    DoubleSummaryStatistics::combine)
                .getCount())
        .isEqualTo(COUNT);
    Map<Integer, int[]> counts =
        source
            .keyStream()
            .collect(
                () -> new HashMap<Integer, int[]>(),
                (map, k) -> map.computeIfAbsent(k % 30, n -> new int[1])[0]++,
                (map, more) ->
                    more.forEach(
                        (k, n) ->
                            map.merge(
                                k,
                                n,
                                (a, b) -> {
                                  a[0] += b[0];
                                  return a;
                                })));
    assertThat(counts.values().stream().mapToInt(n -> n[0]).sum()).isEqualTo(COUNT);
    StringBuilder text =
        source
            .keyStream()
            .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append);
    assertThat(text).hasToString(jdk().mapToObj(String::valueOf).collect(Collectors.joining()));
  }

  @Test
  void aMutableIdentityIsNotChangedByTheCheck() {
    List<Integer> identity = new ArrayList<>();
    List<Integer> all =
        source
            .keyStream()
            .reduce(
                identity,
                (list, k) -> {
                  list.add(k);
                  return list;
                },
                (list, more) -> {
                  list.addAll(more);
                  return list;
                });
    assertThat(all).containsExactlyElementsOf(jdk().boxed().toList());
  }

  @Test
  void aContainerThatIsNotEmptyAtFirstIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                source
                    .keyStream()
                    .collect(() -> new ArrayList<>(List.of(-1)), List::add, List::addAll))
        .withMessageContaining("collect begins with [-1], which is no identity");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().collect(() -> Collectors.reducing(10, Integer::sum)))
        .withMessageContaining("collect begins with [10], which is no identity");
  }
}
