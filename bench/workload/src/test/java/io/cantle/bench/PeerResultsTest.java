package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PeerResultsTest {
  private static final WorkloadMeasure GET = new WorkloadMeasure(Workload.GET, 1);
  private static final WorkloadMeasure SIZE = new WorkloadMeasure(Workload.SIZE, 1);

  @Test
  void takesTheMedianOfOddCounts() {
    assertThat(PeerResults.median(List.of(9.0, 1.0, 4.0))).isEqualTo(4.0);
    assertThat(PeerResults.median(List.of(7.0))).isEqualTo(7.0);
  }

  @Test
  void takesTheMedianOfEvenCounts() {
    assertThat(PeerResults.median(List.of(8.0, 1.0, 2.0, 4.0))).isEqualTo(3.0);
  }

  @Test
  void summarizesRoundsWithTheirSpreadAndTheRatioOfMedians() {
    var results = new PeerResults();
    for (double score : new double[] {20, 10, 40}) {
      results.add(Product.CANTLE, new PeerRoundResult("1", Map.of(GET, score), List.of()));
    }
    for (double score : new double[] {5, 6, 1}) {
      results.add(Product.HAZELCAST, new PeerRoundResult("2", Map.of(GET, score), List.of()));
    }

    assertThat(results.rows())
        .containsExactly(
            new PeerRow("get", 1, "ops/s", "cantle", "1", 20, 10, 40, 3, 1.0),
            new PeerRow("get", 1, "ops/s", "hazelcast", "2", 5, 1, 6, 3, 0.25));
  }

  @Test
  void ordersRowsByMeasureThenByProduct() {
    var results = new PeerResults();
    Map<WorkloadMeasure, Double> scores = Map.of(GET, 1.0, SIZE, 2.0);
    results.add(Product.HAZELCAST, new PeerRoundResult("2", scores, List.of()));
    results.add(Product.CANTLE, new PeerRoundResult("1", scores, List.of()));

    assertThat(results.rows())
        .extracting(row -> row.workload() + " " + row.product())
        .containsExactly("size cantle", "size hazelcast", "get cantle", "get hazelcast");
  }

  @Test
  void hasNoRatioWhereCantleWasNotMeasured() {
    var results = new PeerResults();
    results.add(Product.INFINISPAN, new PeerRoundResult("3", Map.of(GET, 1.0), List.of()));

    assertThat(results.rows()).singleElement().extracting(PeerRow::ratioToCantle).isNull();
  }

  @Test
  void countsFailuresAndSumsUpTheRoundsThatSucceeded() {
    var results = new PeerResults();
    results.add(Product.INFINISPAN, PeerRoundResult.ofFailure("no port"));
    results.add(
        Product.INFINISPAN, new PeerRoundResult("3", Map.of(GET, 1.0), List.of("put: wrong")));

    assertThat(results.failures()).isEqualTo(2);
    assertThat(results.rows()).singleElement().extracting(PeerRow::rounds).isEqualTo(1);
  }
}
