package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HourTableTest {
  private final DepartureCounts counts = new DepartureCounts();

  HourTableTest() {
    counts.add(1, DepartureStatus.CANCELLED, 5);
    counts.add(6, DepartureStatus.PUNCTUAL, 750);
    counts.add(6, DepartureStatus.DELAYED, 250);
    counts.add(6, DepartureStatus.CANCELLED, 10_000);
    counts.add(7, DepartureStatus.PUNCTUAL, 3);
    counts.add(23, DepartureStatus.DELAYED, 1_000);
    counts.add(23, DepartureStatus.PUNCTUAL, 1_000);
  }

  @Test
  void showsShareOfFlightsNotCancelled() {
    assertThat(new HourTable(counts, true).lines())
        .containsExactly(
            "  hour  departed   delayed    share",
            "     6     1,000       250   25.0 %  " + "█".repeat(20),
            "     7         3         0    0.0 %",
            "    23     2,000     1,000   50.0 %  " + "█".repeat(40));
  }

  @Test
  void drawsWithPlainCharactersWithoutBlockSupport() {
    assertThat(new HourTable(counts, false).lines())
        .contains("     6     1,000       250   25.0 %  " + "#".repeat(20));
  }

  @Test
  void countsRoundTripAsText() {
    assertThat(DepartureCounts.parse(counts.toText())).isEqualTo(counts);
  }
}
