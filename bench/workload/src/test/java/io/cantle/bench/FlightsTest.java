package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FlightsTest {
  private final Flights flights = new Flights(2_000);

  @Test
  void makesKeysOfTenCharactersThatDiffer() {
    assertThat(IntStream.range(0, flights.count()).mapToObj(flights::key))
        .doesNotHaveDuplicates()
        .allMatch(key -> key.length() == 10);
  }

  @Test
  void knowsWhatItsFlightsAnswerInEveryEdition() {
    for (int edition : new int[] {0, 7, -1, Integer.MIN_VALUE}) {
      int chosen = edition;
      Map<Integer, Long> late =
          IntStream.range(0, flights.count())
              .mapToObj(number -> flights.flight(number, chosen))
              .filter(Flight::delayed)
              .collect(Collectors.groupingBy(Flight::hour, Collectors.counting()));
      assertThat(late).isEqualTo(flights.delayedByHour()).isNotEmpty();
    }
  }

  @Test
  void addsUpItsNumbers() {
    assertThat(flights.numberSum()).isEqualTo(IntStream.range(0, flights.count()).sum());
  }

  @Test
  void givesEachFlightAPayloadOfItsOwn() {
    assertThat(flights.flight(3, 0).payload())
        .hasSize(Flights.PAYLOAD_BYTES)
        .isNotSameAs(flights.flight(3, 0).payload())
        .isEqualTo(flights.flight(3, 0).payload())
        .isNotEqualTo(flights.flight(3, 1).payload());
  }

  @Test
  void isTheSameInEveryRound() {
    assertThat(new Flights(2_000).delayedByHour()).isEqualTo(flights.delayedByHour());
  }
}
