package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.FunctionException;
import io.cantle.Grid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests streams from each node against streams of the JDK over the same entries. */
@Timeout(120)
final class StreamsTest {
  private static final Map<Integer, Trip> PLAIN =
      IntStream.range(0, 4_000)
          .boxed()
          .collect(Collectors.toMap(index -> index, StreamsTest::trip));

  private static final ConcurrentLinkedQueue<Integer> SEEN = new ConcurrentLinkedQueue<>();

  private static TestGrid cluster = new TestGrid(0);

  /** A journey. */
  record Trip(String from, String to, int minutes, List<String> stops) {}

  private static Trip trip(int index) {
    return new Trip(
        "city-" + index % 7,
        "city-" + index % 11,
        index * 31 % 997,
        index % 3 == 0 ? List.of() : List.of("stop-" + index % 5, "stop-" + index % 9));
  }

  @BeforeAll
  static void join() {
    cluster = TestGrid.ofSize(3);
    cluster.node(1).<Integer, Trip>cache("trips").putAll(PLAIN);
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static Cache<Integer, Trip> trips(int node) {
    Grid grid = cluster.node(node);
    return grid.cache("trips");
  }

  private static Stream<Trip> plain() {
    return PLAIN.values().stream();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void filtersAndMaps(int node) {
    List<String> found =
        trips(node).values().stream()
            .filter(trip -> trip.minutes() > 900)
            .map(trip -> trip.from() + trip.to() + trip.minutes())
            .toList();
    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            plain()
                .filter(trip -> trip.minutes() > 900)
                .map(trip -> trip.from() + trip.to() + trip.minutes())
                .toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void filtersByCapturedValues(int node) {
    int limit = 500 + node;
    String from = "city-" + node;
    long found =
        trips(node).values().stream()
            .filter(trip -> trip.minutes() < limit && trip.from().equals(from))
            .count();
    assertThat(found)
        .isEqualTo(
            plain().filter(trip -> trip.minutes() < limit && trip.from().equals(from)).count());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void groups(int node) {
    Map<String, Long> found =
        trips(node).values().stream()
            .collect(() -> Collectors.groupingBy(Trip::from, Collectors.counting()));
    assertThat(found)
        .isEqualTo(plain().collect(Collectors.groupingBy(Trip::from, Collectors.counting())));
    Map<String, Double> averages =
        trips(node).values().stream()
            .collect(() -> Collectors.groupingBy(Trip::to, Collectors.averagingInt(Trip::minutes)));
    assertThat(averages)
        .isEqualTo(
            plain()
                .collect(Collectors.groupingBy(Trip::to, Collectors.averagingInt(Trip::minutes))));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void collectsInThreeParts(int node) {
    Map<String, Integer> found =
        trips(node).values().stream()
            .collect(
                HashMap<String, Integer>::new,
                (sums, trip) -> sums.merge(trip.to(), trip.minutes(), Integer::sum),
                (sums, more) -> more.forEach((to, sum) -> sums.merge(to, sum, Integer::sum)));
    assertThat(found)
        .isEqualTo(plain().collect(Collectors.toMap(Trip::to, Trip::minutes, Integer::sum)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void reduces(int node) {
    assertThat(trips(node).values().stream().map(Trip::minutes).reduce(0, Integer::sum))
        .isEqualTo(plain().map(Trip::minutes).reduce(0, Integer::sum));
    assertThat(trips(node).values().stream().map(Trip::minutes).reduce(Math::max))
        .isEqualTo(plain().map(Trip::minutes).reduce(Math::max));
    assertThat(
            trips(node).values().stream()
                .reduce(0L, (sum, trip) -> sum + trip.stops().size(), Long::sum))
        .isEqualTo(plain().mapToLong(trip -> trip.stops().size()).sum());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void findsMinimumAndMaximum(int node) {
    assertThat(trips(node).keySet().stream().min((left, right) -> left - right)).contains(0);
    assertThat(trips(node).keySet().stream().max(Integer::compare)).contains(PLAIN.size() - 1);
    assertThat(trips(node).values().stream().filter(trip -> trip.minutes() < 0).min((_, _) -> 0))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void matches(int node) {
    assertThat(trips(node).values().stream().anyMatch(trip -> trip.minutes() == 996)).isTrue();
    assertThat(trips(node).values().stream().anyMatch(trip -> trip.minutes() > 996)).isFalse();
    assertThat(trips(node).values().stream().allMatch(trip -> trip.minutes() <= 996)).isTrue();
    assertThat(trips(node).values().stream().noneMatch(trip -> trip.from().isEmpty())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void flattens(int node) {
    assertThat(trips(node).values().stream().flatMap(trip -> trip.stops().stream()).toList())
        .containsExactlyInAnyOrderElementsOf(
            plain().flatMap(trip -> trip.stops().stream()).toList());
  }

  /** The owners are nodes of this process, so what they see can be seen here. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void forEachOnOwnersRunsOncePerEntry(int node) {
    SEEN.clear();
    trips(node).keySet().stream().filter(key -> key % 2 == 0).forEachOnOwners(key -> SEEN.add(key));
    assertThat(SEEN)
        .containsExactlyInAnyOrderElementsOf(
            PLAIN.keySet().stream().filter(key -> key % 2 == 0).toList());
  }

  @Test
  void namesTheNodeWhereAFunctionThrew() {
    Set<String> names = new HashSet<>();
    for (int key = 0; key < 30; key++) {
      CacheStream<Trip> one = trips(1).values().stream().filterKeys(Set.of(key));
      assertThatExceptionOfType(FunctionException.class)
          .isThrownBy(() -> one.filter(trip -> trip.minutes() / (trip.minutes() * 0) > 0).count())
          .withCauseInstanceOf(ArithmeticException.class)
          .satisfies(e -> assertThat(e).hasMessageContaining("failed on node " + e.nodeName()))
          .satisfies(e -> names.add(e.nodeName()));
    }
    assertThat(names).containsExactlyInAnyOrder("node-0", "node-1", "node-2");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void iteratesEveryEntryOnce(int node) {
    Map<Integer, Trip> found = new ConcurrentHashMap<>();
    try (CloseableIterator<Map.Entry<Integer, Trip>> entries =
        trips(node).entrySet().stream().filter(entry -> entry.getKey() != 17).iterator()) {
      while (entries.hasNext()) {
        Map.Entry<Integer, Trip> entry = entries.next();
        assertThat(found.put(entry.getKey(), entry.getValue())).isNull();
      }
    }
    Map<Integer, Trip> wanted = new HashMap<>(PLAIN);
    wanted.remove(17);
    assertThat(found).isEqualTo(wanted);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void sortsAndLimitsAtTheCaller(int node) {
    List<Integer> found = new ArrayList<>();
    trips(node).values().stream()
        .map(Trip::minutes)
        .distinct()
        .sorted(Comparator.reverseOrder())
        .limit(25)
        .forEachOrdered(found::add);
    assertThat(found)
        .isEqualTo(
            plain()
                .map(Trip::minutes)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .limit(25)
                .toList());
  }
}
