package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ResultsTest {
  private static final Measure GET = new Measure(Workload.GET, 1);
  private static final Measure SIZE = new Measure(Workload.SIZE, 1);

  @Test
  void takesTheMiddleOfOddCountsWhateverTheirOrder() {
    assertThat(Results.median(List.of(9.0, 1.0, 4.0))).isEqualTo(4.0);
    assertThat(Results.median(List.of(7.0))).isEqualTo(7.0);
  }

  @Test
  void takesTheMeanOfTheTwoInTheMiddleOfEvenCounts() {
    assertThat(Results.median(List.of(8.0, 1.0, 2.0, 4.0))).isEqualTo(3.0);
  }

  @Test
  void summarizesRoundsWithTheirSpreadAndTheRatioOfMedians() {
    var results = new Results();
    for (double score : new double[] {20, 10, 40}) {
      results.add(Product.CANTLE, new RoundResult("1", Map.of(GET, score), List.of()));
    }
    for (double score : new double[] {5, 6, 1}) {
      results.add(Product.HAZELCAST, new RoundResult("2", Map.of(GET, score), List.of()));
    }

    assertThat(results.rows())
        .containsExactly(
            new Row("get", 1, "ops/s", "cantle", "1", 20, 10, 40, 3, 1.0),
            new Row("get", 1, "ops/s", "hazelcast", "2", 5, 1, 6, 3, 0.25));
  }

  @Test
  void ordersRowsByMeasureThenByProduct() {
    var results = new Results();
    Map<Measure, Double> scores = Map.of(GET, 1.0, SIZE, 2.0);
    results.add(Product.HAZELCAST, new RoundResult("2", scores, List.of()));
    results.add(Product.CANTLE, new RoundResult("1", scores, List.of()));

    assertThat(results.rows())
        .extracting(row -> row.workload() + " " + row.product())
        .containsExactly("size cantle", "size hazelcast", "get cantle", "get hazelcast");
  }

  @Test
  void hasNoRatioWhereCantleWasNotMeasured() {
    var results = new Results();
    results.add(Product.INFINISPAN, new RoundResult("3", Map.of(GET, 1.0), List.of()));

    assertThat(results.rows()).singleElement().extracting(Row::ratioToCantle).isNull();
  }

  @Test
  void countsFailuresAndSumsUpTheRoundsThatSucceeded() {
    var results = new Results();
    results.add(Product.INFINISPAN, RoundResult.failed("no port"));
    results.add(Product.INFINISPAN, new RoundResult("3", Map.of(GET, 1.0), List.of("put: wrong")));

    assertThat(results.failures()).isEqualTo(2);
    assertThat(results.rows()).singleElement().extracting(Row::rounds).isEqualTo(1);
  }
}
