package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the encoding of summaries of numbers. */
class SummaryStatisticsTest {
  private static final double NAN = Double.NaN;
  private static final double MORE = Double.POSITIVE_INFINITY;
  private static final double LESS = Double.NEGATIVE_INFINITY;

  static List<double[]> doubles() {
    return List.of(
        new double[0],
        new double[] {1.5},
        new double[] {0.0, -0.0},
        new double[] {1, NAN, 2},
        new double[] {NAN},
        new double[] {NAN, MORE, LESS},
        new double[] {1, MORE},
        new double[] {MORE},
        new double[] {LESS, LESS},
        new double[] {MORE, LESS},
        new double[] {3, MORE, 4, LESS, 5},
        new double[] {MORE, MORE, LESS},
        new double[] {Double.MAX_VALUE, Double.MAX_VALUE, LESS},
        new double[] {-Double.MAX_VALUE, -Double.MAX_VALUE, 1, MORE},
        new double[] {Double.MAX_VALUE, Double.MAX_VALUE},
        new double[] {-Double.MAX_VALUE, -Double.MAX_VALUE, 1},
        new double[] {Double.MIN_VALUE, 1e300, -1e300});
  }

  @ParameterizedTest
  @MethodSource("doubles")
  void doubleSummariesRoundTrip(double[] numbers) {
    DoubleSummaryStatistics expected = DoubleStream.of(numbers).summaryStatistics();
    Output out = new Output(16);
    ElementKind.DOUBLE.writeSummary(DoubleStream.of(numbers), out);

    DoubleSummaryStatistics read = ElementKind.readDoubleSummary(out.toInput());

    assertThat(figures(read)).isEqualTo(figures(expected));
  }

  /** Compares boxed numbers, so that NaN equals itself and the two zeros differ. */
  private static List<Number> figures(DoubleSummaryStatistics all) {
    return List.of(all.getCount(), all.getMin(), all.getMax(), all.getSum(), all.getAverage());
  }

  @ParameterizedTest
  @MethodSource("doubles")
  void decodedSummariesCombineLikeTheOriginals(double[] numbers) {
    DoubleSummaryStatistics expected = DoubleStream.of(7, 9).summaryStatistics();
    expected.combine(DoubleStream.of(numbers).summaryStatistics());
    Output out = new Output(16);
    ElementKind.DOUBLE.writeSummary(DoubleStream.of(numbers), out);
    DoubleSummaryStatistics read = DoubleStream.of(7, 9).summaryStatistics();

    read.combine(ElementKind.readDoubleSummary(out.toInput()));

    assertThat(read).hasToString(expected.toString());
  }

  @Test
  void intAndLongSummariesRoundTrip() {
    for (long[] numbers :
        new long[][] {{}, {Integer.MAX_VALUE, Integer.MAX_VALUE}, {Integer.MIN_VALUE, 3}}) {
      Output out = new Output(16);
      ElementKind.INT.writeSummary(LongStream.of(numbers).mapToInt(n -> (int) n), out);
      IntSummaryStatistics ints = ElementKind.readIntSummary(out.toInput());
      assertThat(ints)
          .hasToString(
              LongStream.of(numbers).mapToInt(n -> (int) n).summaryStatistics().toString());
      out.truncate(0);
      ElementKind.LONG.writeSummary(LongStream.of(numbers), out);
      LongSummaryStatistics longs = ElementKind.readLongSummary(out.toInput());
      assertThat(longs).hasToString(LongStream.of(numbers).summaryStatistics().toString());
    }
  }

  @Test
  void sumLongsBeyondTheirRangeAsTheJdkDoes() {
    Output out = new Output(16);
    ElementKind.LONG.writeSummary(LongStream.of(Long.MAX_VALUE, Long.MAX_VALUE), out);

    assertThat(ElementKind.readLongSummary(out.toInput()).getSum()).isEqualTo(-2);
  }

  @Test
  void countEveryShape() {
    assertThat(ElementKind.OBJECT.count(List.of(1, 2).stream())).isEqualTo(2);
    assertThat(ElementKind.INT.count(IntStream.of(1))).isEqualTo(1);
    assertThat(ElementKind.LONG.count(LongStream.empty())).isZero();
    assertThat(ElementKind.DOUBLE.count(DoubleStream.of(1, 2, 3))).isEqualTo(3);
  }
}
