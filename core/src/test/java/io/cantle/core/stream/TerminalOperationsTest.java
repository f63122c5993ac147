package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the terminal operations that owners run. */
class TerminalOperationsTest {
  private static final AtomicInteger SEEN = new AtomicInteger();

  private final List<Flight> flights = Flight.some(5, 500);
  private final ListScanner scans = new ListScanner(5, flights);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();

  @Test
  void countsWithoutVisitingWhenThereIsNoStage() {
    assertThat(cacheStreamSource.entryStream().count()).isEqualTo(500);
    assertThat(scans.chunksDelivered).isZero();
  }

  @Test
  void countsFilteredElementsOnTheOwners() {
    assertThat(cacheStreamSource.valueStream().filter(f -> f.late()).count())
        .isEqualTo(flights.stream().filter(Flight::late).count());
    assertThat(scans.chunksDropped).isPositive();
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void reducesInAllThreeWays() {
    int miles = flights.stream().mapToInt(f -> (int) f.distance()).sum();

    assertThat(
            cacheStreamSource.valueStream().map(f -> (int) f.distance()).reduce(0, (a, b) -> a + b))
        .isEqualTo(miles);
    assertThat(
            cacheStreamSource.valueStream().map(f -> (int) f.distance()).reduce(7, (a, b) -> a + b))
        .isEqualTo(miles + 7);
    assertThat(cacheStreamSource.valueStream().map(f -> (int) f.distance()).reduce(Integer::sum))
        .contains(miles);
    assertThat(
            cacheStreamSource
                .valueStream()
                .reduce(0, (sum, flight) -> sum + (int) flight.distance(), Integer::sum))
        .isEqualTo(miles);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void reducesNothingToNothing() {
    assertThat(cacheStreamSource.valueStream().filter(f -> false).reduce((a, b) -> a)).isEmpty();
    assertThat(
            cacheStreamSource
                .valueStream()
                .filter(f -> false)
                .min((a, b) -> Integer.compare(a.number(), b.number())))
        .isEmpty();
    assertThat(
            cacheStreamSource.valueStream().filter(f -> false).map(f -> 1).reduce(7, Integer::sum))
        .isEqualTo(7);
  }

  @Test
  @SuppressWarnings("NullAway") // The JDK lets functions return null here.
  void treatsNullElementsAsTheJdkDoes() {
    assertThat(cacheStreamSource.keyStream().<Integer>map(k -> null).count()).isEqualTo(500);
    assertThat(cacheStreamSource.keyStream().<Integer>map(k -> k < 250 ? null : k).iterator())
        .toIterable()
        .hasSize(500)
        .containsNull();
    assertThat(
            cacheStreamSource
                .keyStream()
                .<Integer>map(k -> k % 2 == 0 ? null : k)
                .reduce((a, b) -> (a == null ? 0 : a) + (b == null ? 0 : b)))
        .contains(250 * 250);
    assertThatThrownBy(
            () -> cacheStreamSource.keyStream().<Integer>map(k -> null).reduce((a, b) -> null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void findsLeastAndGreatest() {
    assertThat(cacheStreamSource.valueStream().min((a, b) -> Flight.BY_DISTANCE.compare(a, b)))
        .isEqualTo(flights.stream().min(Flight.BY_DISTANCE));
    assertThat(
            cacheStreamSource
                .entryStream()
                .max((a, b) -> Flight.BY_DISTANCE.compare(a.getValue(), b.getValue()))
                .map(Map.Entry::getValue))
        .isEqualTo(flights.stream().max(Flight.BY_DISTANCE));
    assertThat(cacheStreamSource.keyStream().max(Integer::compare)).contains(499);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void stopsAskingWhenAMatchDecides() {
    assertThat(cacheStreamSource.keyStream().anyMatch(k -> k == 0)).isTrue();
    assertThat(cacheStreamSource.keyStream().noneMatch(k -> k == 0)).isFalse();
    assertThat(cacheStreamSource.keyStream().allMatch(k -> k != 0)).isFalse();
    assertThat(scans.chunksDelivered).isLessThan(3 * scans.chunkCount());
  }

  @Test
  void asksAllWhenNoMatchDecides() {
    assertThat(cacheStreamSource.keyStream().anyMatch(k -> k < 0)).isFalse();
    assertThat(cacheStreamSource.keyStream().noneMatch(k -> k < 0)).isTrue();
    assertThat(cacheStreamSource.keyStream().allMatch(k -> k >= 0)).isTrue();
    assertThat(scans.chunksDelivered).isEqualTo(3 * scans.chunkCount());
  }

  @Test
  void findAnyStopsAfterOne() {
    Optional<Flight> found = cacheStreamSource.valueStream().filter(f -> f.number() == 3).findAny();

    assertThat(found).contains(flights.get(3));
    assertThat(scans.chunksDelivered).isLessThan(scans.chunkCount());
    assertThat(cacheStreamSource.valueStream().filter(f -> f.number() < 0).findFirst()).isEmpty();
  }

  @Test
  void runsForEachOnOwnersAtLeastOnce() {
    SEEN.set(0);

    cacheStreamSource.keyStream().forEachOnOwners(k -> SEEN.incrementAndGet());

    assertThat(SEEN.get()).isGreaterThanOrEqualTo(500);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void collectsInThreeParts() {
    List<Integer> keys =
        cacheStreamSource.keyStream().collect(ArrayList::new, List::add, List::addAll);
    StringBuilder text =
        cacheStreamSource
            .valueStream()
            .map(Flight::carrier)
            .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append);

    assertThat(keys).containsExactlyElementsOf(flights.stream().map(Flight::number).toList());
    assertThat(text)
        .hasToString(
            flights.stream()
                .map(Flight::carrier)
                .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append)
                .toString());
  }

  @Test
  @SuppressWarnings("NullAway") // The JDK lets functions return null here.
  void flattensOnTheOwners() {
    CacheStream<Integer> both =
        cacheStreamSource
            .valueStream()
            .flatMap(f -> f.late() ? Stream.of(f.number(), -f.number()) : null);

    assertThat(both.iterator())
        .toIterable()
        .containsExactlyElementsOf(
            flights.stream()
                .filter(Flight::late)
                .flatMap(f -> Stream.of(f.number(), -f.number()))
                .toList());
  }

  @Test
  void mapsEntriesToKeysAndValues() {
    CacheStream<Integer> keys = cacheStreamSource.entryStream().map(Map.Entry::getKey);
    CacheStream<Flight> values = cacheStreamSource.entryStream().map(e -> e.getValue());

    assertThat(keys.iterator())
        .toIterable()
        .containsExactlyElementsOf(flights.stream().map(Flight::number).toList());
    assertThat(values.iterator()).toIterable().containsExactlyElementsOf(flights);
  }

  @Test
  void plainFunctionsRunLocally() {
    List<String> here = new ArrayList<>();
    Comparator<String> order = Comparator.reverseOrder();

    assertThat(
            cacheStreamSource.valueStream().map(Flight::carrier).distinct().sorted(order).toList())
        .containsExactlyElementsOf(
            flights.stream().map(Flight::carrier).distinct().sorted(order).toList());
    cacheStreamSource.valueStream().map(Flight::carrier).forEachOrdered(here::add);
    assertThat(here).hasSize(500);
    assertThat(scans.iteratorsOpen).isZero();
  }
}
