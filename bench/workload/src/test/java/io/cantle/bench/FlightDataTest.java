package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FlightDataTest {
  private final FlightData flights = new FlightData(2_000);

  @Test
  void makesKeysOfTenCharactersThatDiffer() {
    assertThat(IntStream.range(0, flights.count()).mapToObj(flights::key))
        .doesNotHaveDuplicates()
        .allMatch(key -> key.length() == 10);
  }

  @Test
  void knowsExpectedAnswersForEveryEdition() {
    for (int edition : new int[] {0, 7, -1, Integer.MIN_VALUE}) {
      int chosen = edition;
      Map<Integer, Long> late =
          IntStream.range(0, flights.count())
              .mapToObj(number -> flights.flight(number, chosen))
              .filter(Flight::isDelayed)
              .collect(Collectors.groupingBy(Flight::hour, Collectors.counting()));
      assertThat(late).isEqualTo(flights.delayedByHour()).isNotEmpty();
    }
  }

  @Test
  void sumsNumbers() {
    assertThat(flights.numberSum()).isEqualTo(IntStream.range(0, flights.count()).sum());
  }

  @Test
  void flightsHaveOwnPayloads() {
    assertThat(flights.flight(3, 0).payload())
        .hasSize(FlightData.PAYLOAD_BYTES)
        .isNotSameAs(flights.flight(3, 0).payload())
        .isEqualTo(flights.flight(3, 0).payload())
        .isNotEqualTo(flights.flight(3, 1).payload());
  }

  @Test
  void isTheSameInEveryRound() {
    assertThat(new FlightData(2_000).delayedByHour()).isEqualTo(flights.delayedByHour());
  }
}
