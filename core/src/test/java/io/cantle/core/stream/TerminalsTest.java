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

/** What ends a stream on the owners. */
class TerminalsTest {
  private static final AtomicInteger SEEN = new AtomicInteger();

  private final List<Flight> flights = Flight.some(5, 500);
  private final ListScans scans = new ListScans(5, flights);
  private final Streams<Integer, Flight> streams = scans.streams();

  @Test
  void countsWithoutVisitingWhenThereIsNoStage() {
    assertThat(streams.entries().count()).isEqualTo(500);
    assertThat(scans.chunksDelivered).isZero();
  }

  @Test
  void countsWhatIsLeftOnTheOwners() {
    assertThat(streams.values().filter(f -> f.late()).count())
        .isEqualTo(flights.stream().filter(Flight::late).count());
    assertThat(scans.chunksDropped).isPositive();
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void reducesInAllThreeWays() {
    int miles = flights.stream().mapToInt(f -> (int) f.distance()).sum();

    assertThat(streams.values().map(f -> (int) f.distance()).reduce(0, (a, b) -> a + b))
        .isEqualTo(miles);
    assertThat(streams.values().map(f -> (int) f.distance()).reduce(7, (a, b) -> a + b))
        .isEqualTo(miles + 7);
    assertThat(streams.values().map(f -> (int) f.distance()).reduce(Integer::sum)).contains(miles);
    assertThat(
            streams
                .values()
                .reduce(0, (sum, flight) -> sum + (int) flight.distance(), Integer::sum))
        .isEqualTo(miles);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void reducesNothingToNothing() {
    assertThat(streams.values().filter(f -> false).reduce((a, b) -> a)).isEmpty();
    assertThat(
            streams
                .values()
                .filter(f -> false)
                .min((a, b) -> Integer.compare(a.number(), b.number())))
        .isEmpty();
    assertThat(streams.values().filter(f -> false).map(f -> 1).reduce(7, Integer::sum))
        .isEqualTo(7);
  }

  @Test
  @SuppressWarnings("NullAway") // The JDK lets functions return null here.
  void treatsNullElementsAsTheJdkDoes() {
    assertThat(streams.keys().<Integer>map(k -> null).count()).isEqualTo(500);
    assertThat(streams.keys().<Integer>map(k -> k < 250 ? null : k).iterator())
        .toIterable()
        .hasSize(500)
        .containsNull();
    assertThat(
            streams
                .keys()
                .<Integer>map(k -> k % 2 == 0 ? null : k)
                .reduce((a, b) -> (a == null ? 0 : a) + (b == null ? 0 : b)))
        .contains(250 * 250);
    assertThatThrownBy(() -> streams.keys().<Integer>map(k -> null).reduce((a, b) -> null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void findsLeastAndGreatest() {
    assertThat(streams.values().min((a, b) -> Flight.BY_DISTANCE.compare(a, b)))
        .isEqualTo(flights.stream().min(Flight.BY_DISTANCE));
    assertThat(
            streams
                .entries()
                .max((a, b) -> Flight.BY_DISTANCE.compare(a.getValue(), b.getValue()))
                .map(Map.Entry::getValue))
        .isEqualTo(flights.stream().max(Flight.BY_DISTANCE));
    assertThat(streams.keys().max(Integer::compare)).contains(499);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void stopsAskingWhenAMatchDecides() {
    assertThat(streams.keys().anyMatch(k -> k == 0)).isTrue();
    assertThat(streams.keys().noneMatch(k -> k == 0)).isFalse();
    assertThat(streams.keys().allMatch(k -> k != 0)).isFalse();
    assertThat(scans.chunksDelivered).isLessThan(3 * scans.chunkCount());
  }

  @Test
  void asksAllWhenNoMatchDecides() {
    assertThat(streams.keys().anyMatch(k -> k < 0)).isFalse();
    assertThat(streams.keys().noneMatch(k -> k < 0)).isTrue();
    assertThat(streams.keys().allMatch(k -> k >= 0)).isTrue();
    assertThat(scans.chunksDelivered).isEqualTo(3 * scans.chunkCount());
  }

  @Test
  void findsAnyAndNoMore() {
    Optional<Flight> found = streams.values().filter(f -> f.number() == 3).findAny();

    assertThat(found).contains(flights.get(3));
    assertThat(scans.chunksDelivered).isLessThan(scans.chunkCount());
    assertThat(streams.values().filter(f -> f.number() < 0).findFirst()).isEmpty();
  }

  @Test
  void runsForEachOnTheOwnersAtLeastOnce() {
    SEEN.set(0);

    streams.keys().forEach(k -> SEEN.incrementAndGet());

    assertThat(SEEN.get()).isGreaterThanOrEqualTo(500);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void collectsInThreeParts() {
    List<Integer> keys = streams.keys().collect(ArrayList::new, List::add, List::addAll);
    StringBuilder text =
        streams
            .values()
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
        streams.values().flatMap(f -> f.late() ? Stream.of(f.number(), -f.number()) : null);

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
    CacheStream<Integer> keys = streams.entries().map(Map.Entry::getKey);
    CacheStream<Flight> values = streams.entries().map(e -> e.getValue());

    assertThat(keys.iterator())
        .toIterable()
        .containsExactlyElementsOf(flights.stream().map(Flight::number).toList());
    assertThat(values.iterator()).toIterable().containsExactlyElementsOf(flights);
  }

  @Test
  void runsWhatTakesAPlainFunctionHere() {
    List<String> here = new ArrayList<>();
    Comparator<String> order = Comparator.reverseOrder();

    assertThat(streams.values().map(Flight::carrier).distinct().sorted(order).toList())
        .containsExactlyElementsOf(
            flights.stream().map(Flight::carrier).distinct().sorted(order).toList());
    streams.values().map(Flight::carrier).forEachOrdered(here::add);
    assertThat(here).hasSize(500);
    assertThat(scans.iteratorsOpen).isZero();
  }
}
