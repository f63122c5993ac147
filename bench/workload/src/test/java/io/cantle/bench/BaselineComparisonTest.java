package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BaselineComparisonTest {
  private static final WorkloadMeasure GET = new WorkloadMeasure(Workload.GET, 4);
  private static final WorkloadMeasure SIZE = new WorkloadMeasure(Workload.SIZE, 1);

  private final BaselineComparison comparison = new BaselineComparison();

  @Test
  void takesRatiosWithinEachRound() {
    // The machine is ten times slower in the second round, for both sides.
    add(Map.of(GET, 2_000.0), Map.of(GET, 1_000.0));
    add(Map.of(GET, 200.0), Map.of(GET, 100.0));
    add(Map.of(GET, 2_200.0), Map.of(GET, 1_100.0));

    assertThat(comparison.values())
        .containsOnlyKeys(
            "cantle_to_baseline_get_4",
            "cantle_to_baseline_get_4_lower_quartile",
            "cantle_to_baseline_get_4_lower_bound")
        .allSatisfy((name, value) -> assertThat(value).isEqualTo(2, within(1e-9)));
  }

  @Test
  void ordersMeasuresAsTheyAreTaken() {
    for (int round = 0; round < 3; round++) {
      add(Map.of(GET, 1.0, SIZE, 3.0), Map.of(GET, 1.0, SIZE, 1.0));
    }

    assertThat(comparison.values())
        .contains(entry("cantle_to_baseline_size_1", 3.0), entry("cantle_to_baseline_get_4", 1.0));
    assertThat(comparison.estimates().keySet()).containsExactly(SIZE, GET);
    assertThat(comparison.rows())
        .extracting(BaselineComparison.ComparisonRow::workload)
        .containsExactly("size", "get");
  }

  @Test
  void leavesOutRoundsInWhichOneSideFailed() {
    add(Map.of(GET, 4.0), Map.of());
    add(Map.of(), Map.of(GET, 4.0));
    for (int round = 0; round < 3; round++) {
      add(Map.of(GET, 1.0), Map.of(GET, 1.0));
    }

    assertThat(comparison.rows())
        .singleElement()
        .extracting(row -> row.ratio().rounds())
        .isEqualTo(3);
    assertThat(comparison.rows().getFirst().cantle()).containsExactly(1.0, 1.0, 1.0);
    assertThat(comparison.rows().getFirst().baseline()).containsExactly(1.0, 1.0, 1.0);
  }

  @Test
  void estimatesNothingFromTooFewRounds() {
    add(Map.of(GET, 1.0), Map.of(GET, 1.0));
    add(Map.of(GET, 1.0), Map.of(GET, 1.0));

    assertThat(comparison.values()).isEmpty();
    assertThat(comparison.countBelow(0.95)).isZero();
  }

  @Test
  void countsMeasuresWhoseLowerBoundIsTooLow() {
    add(Map.of(GET, 0.80, SIZE, 0.99), Map.of(GET, 1.0, SIZE, 1.0));
    add(Map.of(GET, 1.00, SIZE, 1.00), Map.of(GET, 1.0, SIZE, 1.0));
    add(Map.of(GET, 1.25, SIZE, 1.01), Map.of(GET, 1.0, SIZE, 1.0));

    // Both medians are 1; only the rounds of one measure agree.
    assertThat(comparison.countBelow(0.95)).isEqualTo(1);
    assertThat(comparison.countBelow(0.5)).isZero();
    assertThat(comparison.countBelow(1)).isEqualTo(2);
  }

  @Test
  void printsFourDigitsSoThatABoundShowsOnWhichSideOfALimitItIs() {
    for (int round = 0; round < 3; round++) {
      add(Map.of(GET, 0.9496), Map.of(GET, 1.0));
    }

    var text = new StringWriter();
    new ComparisonTable(comparison.estimates()).print(new PrintWriter(text, true));
    assertThat(text.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
        .contains("get 4 0.9496 0.9496 0.9496 0.9496 3");
  }

  private void add(Map<WorkloadMeasure, Double> cantle, Map<WorkloadMeasure, Double> baseline) {
    comparison.add(
        new PeerRoundResult("new", cantle, List.of()),
        new PeerRoundResult("old", baseline, List.of()));
  }
}
