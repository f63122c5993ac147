package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;

final class MeasureTest {

  @Test
  void isTakenInTheOrderOfARoundWhateverOrderWasAskedFor() {
    assertThat(Measure.of(List.of(Workload.PUT, Workload.SIZE, Workload.GET)))
        .extracting(Measure::label)
        .containsExactly("size.1", "get.1", "get.4", "put.1", "put.4");
  }

  @Test
  void isReadFromItsLabel() {
    for (Measure measure : Measure.of(List.of(Workload.values()))) {
      assertThat(Measure.parse(measure.label())).isEqualTo(measure);
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
    assertThat(Pace.QUICK.seconds(new Measure(Workload.GET, 4)))
        .isLessThan(Pace.QUICK.seconds(new Measure(Workload.GET, 1)));
  }

  @Test
  void warmsUpLongestForTheLongestCall() {
    for (Pace pace : Pace.values()) {
      assertThat(pace.warmUpSeconds(new Measure(Workload.ITERATE, 1)))
          .isGreaterThan(pace.warmUpSeconds(new Measure(Workload.GET, 1)));
    }
  }

  @Test
  void isMeasuredAsLongInTurnsAsAlone() {
    for (Pace pace : Pace.values()) {
      assertThat(pace.slices() * Pace.SLICE_SECONDS)
          .isEqualTo(pace.iterations() * pace.iterationSeconds());
    }
  }

  @Test
  void fitsAllQuickRoundsOfThreeProductsIntoNineMinutes() {
    int seconds =
        Measure.of(PeersCommand.QUICK_WORKLOADS).stream().mapToInt(Pace.QUICK::seconds).sum();

    assertThat(9 * (seconds + PeersCommand.STARTING_SECONDS)).isLessThan(9 * 60);
  }
}
