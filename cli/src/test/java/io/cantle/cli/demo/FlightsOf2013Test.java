package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlightsOf2013Test {
  @Test
  void matchTheDemosFigures() throws Exception {
    List<String> malformed = new ArrayList<>();
    DepartureCounts counts = new DepartureCounts();
    try (FlightFile file =
        FlightFile.open(Path.of("..", "data", "flights-2013.csv.gz"), malformed::add)) {
      for (FlightRow row = file.next(); row != null; row = file.next()) {
        counts.add(row.key().scheduledDeparture().getHour(), row.flight().departure(), 1);
      }
    }
    assertThat(malformed).isEmpty();
    assertThat(counts.total()).isEqualTo(336_776);
    assertThat(counts.total(DepartureStatus.CANCELLED)).isEqualTo(8_255);
    assertThat(counts.total(DepartureStatus.DELAYED)).isEqualTo(128_432);
    assertThat(counts.count(5, DepartureStatus.DELAYED)).isEqualTo(489);
    assertThat(counts.count(23, DepartureStatus.DELAYED)).isEqualTo(461);
  }
}
