package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.LatencyFigures;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests the figures that a histogram gives of durations. */
final class DurationHistogramTest {
  private final DurationHistogram histogram = new DurationHistogram();

  @Test
  void emptyHistogramHasNoFigures() {
    assertThat(histogram.figures()).isEqualTo(LatencyFigures.NONE);
  }

  @Test
  void percentilesAreAtMostAnEighthTooHigh() {
    Random random = new Random(1);
    long[] nanos =
        LongStream.range(0, 20_000)
            .map(i -> (long) Math.exp(random.nextDouble() * 24))
            .peek(histogram::record)
            .sorted()
            .toArray();
    LatencyFigures figures = histogram.figures();
    assertThat(figures.count()).isEqualTo(nanos.length);
    assertThat(figures.meanNanos()).isEqualTo(LongStream.of(nanos).sum() / nanos.length);
    assertThat(figures.maxNanos()).isEqualTo(nanos[nanos.length - 1]);
    check(figures.p50Nanos(), nanos, 0.5);
    check(figures.p90Nanos(), nanos, 0.9);
    check(figures.p99Nanos(), nanos, 0.99);
    check(figures.p999Nanos(), nanos, 0.999);
  }

  private static void check(long shown, long[] sorted, double part) {
    long exact = sorted[(int) Math.ceil(part * sorted.length) - 1];
    assertThat(shown).isBetween(exact, exact + exact / 8 + 1);
  }

  @Test
  void extremesAreCounted() {
    histogram.record(-5);
    histogram.record(0);
    histogram.record(Long.MAX_VALUE);
    LatencyFigures figures = histogram.figures();
    assertThat(figures.count()).isEqualTo(3);
    assertThat(figures.p50Nanos()).isZero();
    assertThat(figures.maxNanos()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void oneDurationIsItsOwnPercentiles() {
    for (long nanos = 1; nanos < 1L << 50; nanos = nanos * 3 + 1) {
      DurationHistogram one = new DurationHistogram();
      one.record(nanos);
      assertThat(one.figures())
          .isEqualTo(new LatencyFigures(1, nanos, nanos, nanos, nanos, nanos, nanos));
    }
  }
}
