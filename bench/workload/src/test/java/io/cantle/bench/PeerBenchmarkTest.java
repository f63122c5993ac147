package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PeerBenchmarkTest {
  private final FlightData flights = new FlightData(100);
  private final Map<String, Flight> stored = new HashMap<>();
  private PeerBenchmark benchmark = new PeerBenchmark(new MapDriver(stored), flights);

  @BeforeEach
  void load() {
    for (int number = 0; number < flights.count(); number++) {
      stored.put(flights.key(number), flights.flight(number, 0));
    }
  }

  @Test
  void acceptsRightAnswersAlsoAfterEverythingWasOverwritten() {
    for (int round = 0; round < 1_000; round++) {
      benchmark.put();
      benchmark.set();
      assertThat(benchmark.get()).isNotNull();
    }
    assertThat(benchmark.size()).isEqualTo(flights.count());
    assertThat(benchmark.iterate()).isEqualTo(flights.numberSum());
    assertThat(benchmark.group()).isEqualTo(flights.delayedByHour());
  }

  @Test
  void refusesAnIterationThatMissesAnEntry() {
    stored.remove(flights.key(7));

    assertThatThrownBy(benchmark::iterate).hasMessage("entries iterated is 99 instead of 100");
    assertThatThrownBy(benchmark::size).hasMessage("size is 99 instead of 100");
  }

  @Test
  void refusesAnIterationWithADuplicateAndAMissingEntry() {
    stored.put(flights.key(7), flights.flight(8, 0));

    assertThatThrownBy(benchmark::iterate).hasMessageContaining("sum of the numbers iterated");
  }

  @Test
  void refusesAWrongCountOfAnHour() {
    Flight flight = flights.flight(0, 0);
    stored.put(
        flights.key(0),
        new Flight(0, "EWR", flight.hour(), -flight.delayMinutes() + 1, flight.payload()));

    assertThatThrownBy(benchmark::group).hasMessageContaining("delayed by hour");
  }

  @Test
  void refusesMissingAndWrongFlightsAndPayloads() {
    stored.clear();
    assertThatThrownBy(benchmark::get).hasMessageContaining("found nothing");
    assertThatThrownBy(benchmark::put).hasMessageContaining("found nothing");

    for (int number = 0; number < flights.count(); number++) {
      stored.put(flights.key(number), new Flight(-1, "EWR", 1, 1, new byte[0]));
    }
    assertThatThrownBy(benchmark::get).hasMessageContaining("number of the flight");

    for (int number = 0; number < flights.count(); number++) {
      stored.put(flights.key(number), new Flight(number, "EWR", 1, 1, new byte[3]));
    }
    assertThatThrownBy(benchmark::get).hasMessageContaining("has 3 bytes instead of");
  }

  /** A product that consists of one map. */
  private record MapDriver(Map<String, Flight> map) implements Driver {

    @Override
    public String version() {
      return "1";
    }

    @Override
    public void start(int nodes, int owners, int firstPort) {}

    @Override
    public void load(Map<String, Flight> entries) {
      map.putAll(entries);
    }

    @Override
    public Iterator<Map.Entry<String, Flight>> iterate(int node) {
      return map.entrySet().iterator();
    }

    @Override
    public long size(int node) {
      return map.size();
    }

    @Override
    public Map<Integer, Long> delayedByHour(int node) {
      return map.values().stream()
          .filter(Flight::isDelayed)
          .collect(Collectors.groupingBy(Flight::hour, Collectors.counting()));
    }

    @Override
    public @Nullable Flight get(int node, String key) {
      return map.get(key);
    }

    @Override
    public @Nullable Flight put(int node, String key, Flight value) {
      return map.put(key, value);
    }

    @Override
    public void set(int node, String key, Flight value) {
      map.put(key, value);
    }
  }
}
