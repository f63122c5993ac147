package io.cantle.core.stream;

import static java.util.stream.Collectors.averagingDouble;
import static java.util.stream.Collectors.averagingInt;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.filtering;
import static java.util.stream.Collectors.flatMapping;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.groupingByConcurrent;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.maxBy;
import static java.util.stream.Collectors.minBy;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.reducing;
import static java.util.stream.Collectors.summarizingDouble;
import static java.util.stream.Collectors.summarizingInt;
import static java.util.stream.Collectors.summarizingLong;
import static java.util.stream.Collectors.summingDouble;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.teeing;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toConcurrentMap;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static java.util.stream.Collectors.toUnmodifiableList;
import static java.util.stream.Collectors.toUnmodifiableMap;
import static java.util.stream.Collectors.toUnmodifiableSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.stream.CollectorStateCodec.ArrivalOrder;
import io.cantle.function.SerializableSupplier;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every collector of the JDK gives the same result on the owners as over a list. */
class CollectingTest {

  enum Late {
    YES,
    NO;

    static Late of(Flight flight) {
      return flight.late() ? YES : NO;
    }
  }

  /** A collector with a name. */
  record Case(String name, SerializableSupplier<Collector<? super Flight, ?, ?>> collector) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() {
    return List.of(
        new Case("counting", () -> counting()),
        new Case("toList", () -> inOrder(toList())),
        new Case("toUnmodifiableList", () -> inOrder(toUnmodifiableList())),
        new Case("toSet", () -> toSet()),
        new Case("toUnmodifiableSet", () -> toUnmodifiableSet()),
        new Case("toCollection", () -> toCollection(() -> new TreeSet<>(Flight.BY_DISTANCE))),
        new Case("toCollection queue", () -> queued()),
        new Case("joining", () -> letters(joining())),
        new Case("joining with commas", () -> letters(joining(",", "<", ">"))),
        new Case("mapping", () -> mapping(Flight::carrier, toSet())),
        new Case("filtering", () -> filtering(Flight::late, counting())),
        new Case(
            "flatMapping",
            () -> flatMapping((Flight f) -> Stream.of(f.number(), -f.number()), toSet())),
        new Case("summingInt", () -> summingInt(Flight::delayMinutes)),
        new Case("summingLong", () -> summingLong(Flight::delayMinutes)),
        new Case("summingDouble", () -> summingDouble(Flight::distance)),
        new Case("averagingInt", () -> averagingInt(Flight::delayMinutes)),
        new Case("averagingDouble", () -> averagingDouble(Flight::distance)),
        new Case("summarizingInt", () -> text(summarizingInt(Flight::delayMinutes))),
        new Case("summarizingLong", () -> text(summarizingLong(Flight::delayMinutes))),
        new Case("summarizingDouble", () -> text(summarizingDouble(Flight::distance))),
        new Case("minBy", () -> minBy(Flight.BY_DISTANCE)),
        new Case("maxBy", () -> maxBy(Flight.BY_DISTANCE)),
        new Case("reducing", () -> mapping(Flight::delayMinutes, reducing((a, b) -> a + b))),
        new Case("reducing from", () -> reducing(0, Flight::delayMinutes, Integer::sum)),
        new Case("toMap", () -> toMap(Flight::number, f -> f)),
        new Case("toMap merging", () -> toMap(Flight::carrier, Flight::distance, Double::sum)),
        new Case(
            "toMap sorted",
            () -> toMap(Flight::carrier, Flight::number, Integer::sum, TreeMap::new)),
        new Case("toUnmodifiableMap", () -> toUnmodifiableMap(Flight::number, Flight::carrier)),
        new Case("toConcurrentMap", () -> toConcurrentMap(Flight::number, Flight::carrier)),
        new Case("groupingBy", () -> groupingBy(Flight::carrier, inOrder(toList()))),
        new Case("groupingBy counting", () -> groupingBy(Flight::carrier, counting())),
        new Case(
            "groupingBy averaging", () -> groupingBy(Flight::late, averagingInt(Flight::number))),
        new Case(
            "groupingBy into a sorted map",
            () -> groupingBy(Flight::carrier, TreeMap::new, summingInt(Flight::number))),
        new Case(
            "groupingBy into a map sorted by a lambda",
            () ->
                groupingBy(
                    Flight::carrier, () -> new TreeMap<>((a, b) -> b.compareTo(a)), counting())),
        new Case("groupingByConcurrent", () -> groupingByConcurrent(Flight::carrier, counting())),
        new Case("groupingBy maxBy", () -> groupingBy(Flight::carrier, maxBy(Flight.BY_DISTANCE))),
        new Case(
            "groupingBy maxBy finished",
            () ->
                groupingBy(
                    Flight::carrier,
                    collectingAndThen(maxBy(Flight.BY_DISTANCE), m -> m.orElseThrow().number()))),
        new Case(
            "groupingBy reducing, counted once",
            () ->
                groupingBy(
                    Flight::carrier, mapping(Flight::delayMinutes, reducing((a, b) -> a + b)))),
        new Case(
            "groupingBy groupingBy minBy",
            () -> groupingBy(Flight::carrier, groupingBy(Flight::late, minBy(Flight.BY_DISTANCE)))),
        new Case(
            "groupingBy into enums of partitions",
            () ->
                groupingBy(
                    Flight::carrier,
                    groupingBy(
                        Late::of,
                        () -> new EnumMap<>(Late.class),
                        partitioningBy(f -> f.distance() > 900, counting())))),
        new Case(
            "groupingBy sorted by a lambda below",
            () ->
                groupingBy(
                    Flight::late,
                    mapping(
                        Flight::carrier,
                        toCollection(() -> new TreeSet<>((a, b) -> b.compareTo(a)))))),
        new Case("groupingBy joining", () -> groupingBy(Flight::carrier, sortedLetters())),
        new Case(
            "groupingBy teeing",
            () ->
                groupingBy(
                    Flight::carrier,
                    teeing(counting(), maxBy(Flight.BY_DISTANCE), (n, max) -> n + ":" + max))),
        new Case(
            "groupingBy teeing of groups",
            () ->
                groupingBy(
                    Flight::late,
                    teeing(
                        groupingBy(Flight::carrier, maxBy(Flight.BY_DISTANCE)),
                        filtering(
                            (Flight f) -> f.number() % 7 == 0,
                            groupingBy(Flight::carrier, reducing(Flight::farther))),
                        (a, b) -> List.of(a, b)))),
        new Case(
            "groupingBy, nothing in some groups",
            () ->
                groupingBy(
                    Flight::carrier, filtering(f -> f.number() == 77, minBy(Flight.BY_DISTANCE)))),
        new Case("partitioningBy", () -> partitioningBy(Flight::late)),
        new Case("partitioningBy counting", () -> partitioningBy(Flight::late, counting())),
        new Case(
            "partitioningBy maxBy", () -> partitioningBy(Flight::late, maxBy(Flight.BY_DISTANCE))),
        new Case(
            "partitioningBy groupingBy maxBy",
            () ->
                partitioningBy(
                    Flight::late, groupingBy(Flight::carrier, maxBy(Flight.BY_DISTANCE)))),
        new Case("teeing", () -> teeing(counting(), summingInt(Flight::number), List::of)),
        new Case(
            "teeing of groups that nothing shares",
            () ->
                teeing(
                    filtering(Flight::late, groupingBy(Flight::carrier, maxBy(Flight.BY_DISTANCE))),
                    filtering(
                        (Flight f) -> !f.late(),
                        groupingBy(Flight::carrier, summingInt(Flight::number))),
                    List::of)),
        new Case(
            "teeing whose right side has boxes now and then",
            () ->
                teeing(
                    groupingBy(Flight::carrier, counting()),
                    filtering(
                        (Flight f) -> f.number() % 7 == 3,
                        groupingBy(
                            Flight::carrier,
                            mapping(Flight::delayMinutes, reducing((a, b) -> a + b)))),
                    List::of)),
        new Case("a collector of one's own", () -> Tally.collector()));
  }

  /** A container defined by the user. */
  static final class Tally {
    private int flights;
    private double miles;

    static Collector<Flight, ?, String> collector() {
      return Collector.of(
          Tally::new,
          (tally, flight) -> {
            tally.flights++;
            tally.miles += flight.distance();
          },
          (left, right) -> {
            left.flights += right.flights;
            left.miles += right.miles;
            return left;
          },
          tally -> tally.flights + " flights, " + tally.miles + " miles");
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void collectsTheSameAsOverAList(Case collecting) {
    for (int seed = 0; seed < 6; seed++) {
      List<Flight> flights = Flight.some(seed, seed * 50);
      ListScanner scans = new ListScanner(seed, flights);

      Object collected = scans.streams().valueStream().collect(wild(collecting.collector()));

      assertThat(collected)
          .as("seed %d", seed)
          .isEqualTo(flights.stream().collect(collecting.collector().get()));
    }
  }

  @Test
  void collectsEntriesThemselves() {
    List<Flight> flights = Flight.some(1, 200);
    CacheStreamSource<Integer, Flight> cacheStreamSource = new ListScanner(1, flights).streams();
    Map<Integer, Flight> expected =
        flights.stream().collect(Collectors.toMap(Flight::number, f -> f));

    assertThat(cacheStreamSource.entryStream().collect(() -> toSet()))
        .isEqualTo(expected.entrySet());
    assertThat(
            cacheStreamSource.entryStream().collect(() -> toMap(e -> e.getKey(), e -> e)).values())
        .containsExactlyInAnyOrderElementsOf(expected.entrySet());
    assertThat(
            cacheStreamSource
                .entryStream()
                .collect(
                    () ->
                        groupingBy(
                            e -> e.getValue().carrier(),
                            maxBy(Comparator.comparing(e -> e.getKey())))))
        .isEqualTo(
            expected.entrySet().stream()
                .collect(
                    groupingBy(
                        e -> e.getValue().carrier(),
                        maxBy(Comparator.comparing(e -> e.getKey())))));
  }

  @Test
  void keepsTheComparatorOfASortedResult() {
    TreeMap<String, Long> counts =
        new ListScanner(3, Flight.some(3, 300))
            .streams()
            .valueStream()
            .collect(
                () ->
                    groupingBy(
                        Flight::carrier,
                        () -> new TreeMap<>((a, b) -> b.compareTo(a)),
                        counting()));

    assertThat(List.copyOf(counts.keySet())).isSortedAccordingTo(Comparator.reverseOrder());
    counts.put("XX", 0L);
    assertThat(counts.firstKey()).isEqualTo("XX");
  }

  @Test
  void keepsTheClassOfNestedMaps() {
    Map<String, EnumMap<Late, Map<Boolean, Long>>> groups =
        new ListScanner(3, Flight.some(3, 300))
            .streams()
            .valueStream()
            .collect(
                () ->
                    groupingBy(
                        Flight::carrier,
                        groupingBy(
                            Late::of,
                            () -> new EnumMap<>(Late.class),
                            partitioningBy(f -> f.distance() > 900, counting()))));

    assertThat(groups.values()).hasSize(6).allMatch(group -> group.getClass() == EnumMap.class);
  }

  @Test
  void keepsTheOrderOfASortedContainer() {
    TreeSet<Object> sent = new TreeSet<>(new ArrivalOrder());
    sent.addAll(List.of("b", "c", "a"));

    assertThat(sent).containsExactly("b", "c", "a");
  }

  @Test
  void failsAsTheJdkDoesOnDuplicateKeys() {
    CacheStreamSource<Integer, Flight> cacheStreamSource =
        new ListScanner(1, Flight.some(1, 100)).streams();

    assertThatThrownBy(
            () ->
                cacheStreamSource
                    .valueStream()
                    .collect(() -> toMap(Flight::carrier, Flight::number)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Duplicate key");
  }

  @Test
  void refusesAMapThatWouldLoseTheComparatorsOfSomeValues() {
    CacheStreamSource<Integer, Flight> cacheStreamSource =
        new ListScanner(1, Flight.some(1, 100)).streams();

    assertThatThrownBy(
            () ->
                cacheStreamSource
                    .valueStream()
                    .collect(() -> toMap(Flight::number, f -> plainThenSorted(f))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("different kinds");
  }

  private static Object plainThenSorted(Flight flight) {
    return flight.number() % 2 == 0
        ? "plain"
        : new TreeMap<String, String>((a, b) -> b.compareTo(a));
  }

  @Test
  void reportsWhatCannotBeSent() {
    CacheStreamSource<Integer, Flight> cacheStreamSource =
        new ListScanner(1, Flight.some(1, 100)).streams();

    assertThatThrownBy(
            () ->
                cacheStreamSource.valueStream().collect(() -> mapping(f -> new Thread(), toList())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.util.ArrayList")
        .hasMessageContaining("java.lang.Thread");
  }

  @SuppressWarnings("unchecked")
  private static SerializableSupplier<Collector<? super Flight, Object, Object>> wild(
      SerializableSupplier<?> collector) {
    return (SerializableSupplier<Collector<? super Flight, Object, Object>>) collector;
  }

  private static Collector<Flight, ?, ?> inOrder(Collector<Flight, ?, List<Flight>> list) {
    return collectingAndThen(list, flights -> flights.stream().sorted(Flight.BY_DISTANCE).toList());
  }

  private static Collector<Flight, ?, ?> queued() {
    return collectingAndThen(
        Collectors.<Flight, PriorityQueue<Flight>>toCollection(
            () -> new PriorityQueue<>((a, b) -> Integer.compare(b.number(), a.number()))),
        queue -> Stream.generate(queue::poll).limit(queue.size()).toList());
  }

  /** Joined text depends on the order of chunks, which here is that of the list. */
  private static Collector<Flight, ?, String> letters(Collector<CharSequence, ?, String> joining) {
    return mapping(Flight::carrier, joining);
  }

  /** Samples come before the rest, so only the letters are the same, not their order. */
  private static Collector<Flight, ?, ?> sortedLetters() {
    return collectingAndThen(
        letters(joining(",")), text -> Stream.of(text.split(",")).sorted().toList());
  }

  private static Collector<Flight, ?, String> text(Collector<Flight, ?, ?> statistics) {
    return collectingAndThen(statistics, Object::toString);
  }
}
