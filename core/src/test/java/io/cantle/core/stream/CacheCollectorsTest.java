package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheCollector;
import io.cantle.CacheCollectors;
import io.cantle.core.stream.table.CollectorPair;
import io.cantle.core.stream.table.Trip;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the collectors for owners mean what those of the JDK mean. */
class CacheCollectorsTest {
  private final List<Flight> flights = Flight.some(5, 300);
  private final ListScanner scans = new ListScanner(5, flights);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();

  static List<CollectorPair> pairs() {
    return CollectorPair.all();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void collectsTheSameAsTheJdk(CollectorPair pair) {
    for (int count : new int[] {0, 1, 2, 130}) {
      Map<Integer, Trip> trips = Trip.some(count, count);
      assertThat(pair.describeMismatch(trips.values().stream(), trips.values()))
          .as("a list of %d", count)
          .isEmpty();
      for (int seed = 0; seed < 3; seed++) {
        ListScanner scanner = ListScanner.of(seed, 20, trips);
        CacheStreamSource<Integer, Trip> source = scanner.streamsOf();
        assertThat(pair.describeMismatch(source.valueStream(), trips.values()))
            .as("%d entries, seed %d", count, seed)
            .isEmpty();
        if (pair.name().startsWith("groupingBy") || pair.name().startsWith("partitioningBy")) {
          assertThat(scanner.entriesPulled).as("entries that came here").isZero();
        }
      }
    }
  }

  @Test
  void hasEveryCollectorOfTheJdk() {
    assertThat(signatures(CacheCollectors.class))
        .containsAll(signatures(Collectors.class))
        .hasSize(signatures(Collectors.class).size() + 1);
  }

  private static Set<String> signatures(Class<?> collectors) {
    Set<String> signatures = new TreeSet<>();
    for (Method method : collectors.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers())) {
        signatures.add(method.getName() + " of " + method.getParameterCount());
      }
    }
    return signatures;
  }

  @Test
  void saysWhichOfTheUsersVariablesCannotBeSent() {
    Object lock = new Thread();
    List<CacheCollector<Flight, ?, ?>> collectors =
        List.of(
            CacheCollectors.groupingBy(
                Flight::carrier, CacheCollectors.summingInt(f -> f.number() + lock.hashCode())),
            CacheCollectors.groupingBy(
                Flight::late, CacheCollectors.toMap(f -> f.number() + lock.hashCode(), f -> 1)));

    for (CacheCollector<Flight, ?, ?> collector : collectors) {
      assertThatThrownBy(() -> cacheStreamSource.valueStream().collect(collector))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("variable \"lock\" of type java.lang.Thread")
          .hasMessageContaining("CacheCollectorsTest.java")
          .hasMessageNotContaining("CacheCollectors.java");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // What is refused is null.
  void refusesNullAtOnce() {
    assertThatThrownBy(() -> CacheCollectors.groupingBy(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> CacheCollectors.groupingBy(f -> f, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> CacheCollectors.joining(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> CacheCollectors.serializableCollector(() -> null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void duplicateKeysFailWithTheTextOfTheJdk() {
    assertThatThrownBy(
            () ->
                cacheStreamSource
                    .valueStream()
                    .collect(CacheCollectors.toMap(Flight::carrier, Flight::number)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Duplicate key ")
        .hasMessageContaining("attempted merging values");
  }

  @Test
  void listsAndMapsOfEveryElementAreCollectedHere() {
    Object lock = new Thread();

    assertThat(
            cacheStreamSource
                .valueStream()
                .collect(CacheCollectors.toMap(Flight::number, f -> lock.hashCode())))
        .hasSize(300);
    assertThat(cacheStreamSource.valueStream().collect(CacheCollectors.toList())).hasSize(300);
    assertThat(scans.chunksDelivered).as("partial results").isZero();
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void collectsHereAfterAStageOfThisNode() {
    assertThat(
            cacheStreamSource
                .valueStream()
                .limit(1_000)
                .collect(CacheCollectors.groupingBy(Flight::carrier, CacheCollectors.counting())))
        .isEqualTo(
            flights.stream()
                .collect(Collectors.groupingBy(Flight::carrier, Collectors.counting())));
  }
}
