package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;

final class WorkloadMeasureTest {

  @Test
  void followsTheOrderOfARound() {
    assertThat(WorkloadMeasure.of(List.of(Workload.PUT, Workload.SIZE, Workload.GET)))
        .extracting(WorkloadMeasure::label)
        .containsExactly("size.1", "get.1", "get.4", "put.1", "put.4");
  }

  @Test
  void isParsedFromItsLabel() {
    for (WorkloadMeasure measure : WorkloadMeasure.of(List.of(Workload.values()))) {
      assertThat(WorkloadMeasure.parse(measure.label())).isEqualTo(measure);
    }
  }

  @Test
  void hasABenchmarkForEveryWorkload() {
    assertThat(
            Arrays.stream(PeerBenchmark.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(method -> method.getName()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Workload.values()).map(Workload::label).toList());
  }

  @Test
  void warmsUpLessWhereTheSameWorkloadJustRan() {
    assertThat(MeasureDurations.QUICK.seconds(new WorkloadMeasure(Workload.GET, 4)))
        .isLessThan(MeasureDurations.QUICK.seconds(new WorkloadMeasure(Workload.GET, 1)));
  }

  @Test
  void warmsUpLongestForTheLongestCall() {
    for (MeasureDurations pace : MeasureDurations.values()) {
      assertThat(pace.warmUpSeconds(new WorkloadMeasure(Workload.ITERATE, 1)))
          .isGreaterThan(pace.warmUpSeconds(new WorkloadMeasure(Workload.GET, 1)));
    }
  }

  @Test
  void isMeasuredAsLongInTurnsAsAlone() {
    for (MeasureDurations pace : MeasureDurations.values()) {
      assertThat(pace.slices() * MeasureDurations.SLICE_SECONDS)
          .isEqualTo(pace.iterations() * pace.iterationSeconds());
    }
  }

  @Test
  void fitsAllQuickRoundsOfThreeProductsIntoNineMinutes() {
    int seconds =
        WorkloadMeasure.of(PeersCommand.QUICK_WORKLOADS).stream()
            .mapToInt(MeasureDurations.QUICK::seconds)
            .sum();

    assertThat(9 * (seconds + PeersCommand.START_SECONDS)).isLessThan(9 * 60);
  }
}
