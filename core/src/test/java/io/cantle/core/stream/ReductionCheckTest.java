package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.CacheCollectors;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collector;
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
            "not associative", "would depend on what they own", "as a BinaryOperator");
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
  void anOperatorThatIsNotAssociativeIsRefusedOnASingleOwner() {
    CacheStreamSource<Integer, Integer> all =
        ListScanner.of(1, 100_000, Map.of(1, 10, 2, 20, 3, 7)).streamsOf();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.valueStream().reduce((a, b) -> (a + b) / 2))
        .withMessageContaining("not associative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.valueStream().mapToInt(n -> n).reduce((a, b) -> a - b))
        .withMessageContaining("not associative");
    assertThat(all.valueStream().reduce((a, b) -> Math.max(a, b))).contains(20);
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

  /** Sums that are put together with rounding. */
  record Sums(int count, double sum, float small, BigDecimal exact) {
    static final Sums NONE = new Sums(0, 0, 0, BigDecimal.ZERO);

    Sums with(double number) {
      return new Sums(
          count + 1, sum + number, small + (float) number, exact.add(BigDecimal.valueOf(number)));
    }

    Sums and(Sums other) {
      return new Sums(
          count + other.count,
          0.1 + sum + other.sum - 0.1,
          0.1f + small + other.small - 0.1f,
          exact.add(other.exact).stripTrailingZeros());
    }
  }

  @Test
  void roundingIsNotRefused() {
    Sums sums =
        source
            .keyStream()
            .map(k -> k / 7.0)
            .reduce(Sums.NONE, (all, number) -> all.with(number), (all, more) -> all.and(more));
    assertThat(sums.count).isEqualTo(COUNT);
    float sum = source.keyStream().reduce(0f, (f, k) -> f + k / 7f, (a, b) -> 0.1f + a + b - 0.1f);
    assertThat(sum).isPositive();
    BigDecimal total =
        source
            .keyStream()
            .reduce(
                new BigDecimal("0.00"),
                (t, k) -> t.add(BigDecimal.TEN),
                (a, b) -> a.add(b).stripTrailingZeros());
    assertThat(total).isEqualByComparingTo("2000");
  }

  @Test
  void aRecordWithAWrongCountIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                source
                    .keyStream()
                    .map(k -> k / 7.0)
                    .reduce(
                        new Sums(1, 0, 0, BigDecimal.ZERO),
                        (all, number) -> all.with(number),
                        (all, more) -> all.and(more)))
        .withMessageContaining("no identity");
  }

  /** A key that is equal to no other. */
  static final class Label {
    final int number;

    Label(int number) {
      this.number = number;
    }
  }

  @Test
  void keysWithoutEqualityAreNotRefused() {
    Map<Label, Integer> all =
        source
            .keyStream()
            .collect(
                () -> new HashMap<Label, Integer>(),
                (map, k) -> map.put(new Label(k), k),
                (map, more) -> map.putAll(more));
    assertThat(all).hasSize(COUNT);
    Map<Integer, Label> labels =
        source
            .keyStream()
            .collect(
                () -> new HashMap<Integer, Label>(),
                (map, k) -> map.put(k, new Label(k)),
                (map, more) -> map.putAll(more));
    assertThat(labels).hasSize(COUNT);
  }

  @Test
  void mapsInAnOrderOfTheUserAreNotRefused() {
    Map<Integer, Integer> all =
        source
            .keyStream()
            .collect(
                () -> new TreeMap<Integer, Integer>((a, b) -> Integer.compare(b, a)),
                (map, k) -> map.put(k, k),
                (map, more) -> map.putAll(more));
    assertThat(all.keySet().iterator().next()).isEqualTo(COUNT - 1);
  }

  @Test
  void aCombinerThatSortsIsNotRefused() {
    List<Integer> all =
        source
            .keyStream()
            .collect(
                () -> new ArrayList<Integer>(),
                (list, k) -> list.add(-k),
                (list, more) -> {
                  list.addAll(more);
                  list.sort(null);
                });
    assertThat(all).hasSize(COUNT).isSorted();
  }

  /** Something that is made anew each time. */
  record Stamped(int count, UUID id) {}

  @Test
  void whatIsNewEachTimeIsNotRefused() {
    assertThat(
            source
                .keyStream()
                .reduce(
                    new Stamped(0, UUID.randomUUID()),
                    (s, k) -> new Stamped(s.count + 1, UUID.randomUUID()),
                    (s, other) -> new Stamped(s.count + other.count, UUID.randomUUID()))
                .count)
        .isEqualTo(COUNT);
    assertThat(
            source
                .keyStream()
                .<Object, Object[]>collect(
                    () ->
                        Collector.of(
                            () -> new Object[] {0, UUID.randomUUID()},
                            (box, k) -> box[0] = (Integer) box[0] + 1,
                            (box, other) -> {
                              box[0] = (Integer) box[0] + (Integer) other[0];
                              return box;
                            },
                            box -> box[0])))
        .isEqualTo(COUNT);
  }

  /** What is added up in an object that does not define equality. */
  static final class Totals {
    int count;
    double sum;

    void add(int number) {
      count++;
      sum += number;
    }

    void addAll(Totals other) {
      count += other.count;
      sum += other.sum;
    }
  }

  @Test
  void objectsWithoutEqualityAreChecked() {
    assertThat(source.keyStream().collect(Totals::new, Totals::add, Totals::addAll).count)
        .isEqualTo(COUNT);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> source.keyStream().collect(Totals::new, Totals::add, (totals, more) -> {}))
        .withMessageContaining("no identity");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                source
                    .keyStream()
                    .mapToInt(k -> k)
                    .collect(
                        IntSummaryStatistics::new, IntSummaryStatistics::accept, (all, more) -> {}))
        .withMessageContaining("no identity");
  }

  @Test
  void aContainerOfAnyCollectorIsChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                source
                    .keyStream()
                    .<Integer, int[]>collect(
                        () ->
                            Collector.of(
                                () -> new int[] {10},
                                (box, k) -> box[0] += k,
                                (box, other) -> {
                                  box[0] += other[0];
                                  return box;
                                },
                                box -> box[0])))
        .withMessageContaining("collect begins with [10], which is no identity");
  }

  @Test
  void aContainerOfTheUserIsNotChangedByTheCheck() {
    List<Integer> target = new ArrayList<>(List.of(-1));
    List<Integer> result =
        source.keyStream().filter(k -> k < 0).collect(() -> Collectors.toCollection(() -> target));
    assertThat(result).containsExactly(-1);
  }

  @Test
  void theIdentityOfReducingWithinAnotherCollectorIsChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                CacheCollectors.groupingBy(
                    Flight::carrier,
                    CacheCollectors.reducing(10, Flight::delayMinutes, Integer::sum)))
        .withMessageContainingAll(
            "reducing begins with 10", "with itself it makes 20", "use Collectors.reducing");
    assertThat(source.keyStream().collect(Collectors.reducing(10, Integer::sum)))
        .isEqualTo(10 + source.keyStream().collect(CacheCollectors.reducing(0, Integer::sum)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CacheCollectors.reducing(0.5, Double::sum))
        .withMessageContaining("reducing begins with 0.5");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CacheCollectors.reducing(">", String::concat))
        .withMessageContaining("reducing begins with >");
    assertThat(
            source
                .keyStream()
                .collect(
                    CacheCollectors.groupingBy(
                        k -> k % 2, CacheCollectors.reducing(50, Math::max))))
        .isEqualTo(Map.of(0, COUNT - 2, 1, COUNT - 1));
    assertThat(
            source
                .keyStream()
                .map(k -> BigDecimal.ONE)
                .collect(CacheCollectors.reducing(new BigDecimal("0.0"), BigDecimal::add)))
        .isEqualByComparingTo("200");
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
