package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class RatioEstimateTest {
  private static final Offset<Double> EXACT = within(1e-9);
  private static final int ROUNDS = 20;
  private static final int SAMPLES = 4_000;

  @Test
  void takesMedianAndQuartileOfTheRatiosAndStudentsIntervalOfTheirLogarithms() {
    RatioEstimate estimate = RatioEstimate.of(List.of(1.0, Math.exp(0.1), Math.exp(-0.1)));

    assertThat(estimate.median()).isEqualTo(1);
    assertThat(estimate.lowerQuartile()).isEqualTo((1 + Math.exp(-0.1)) / 2, EXACT);
    // 4.302653 is Student's quantile of 0.975 for two degrees of freedom.
    double halfWidth = 4.302653 * 0.1 / Math.sqrt(3);
    assertThat(estimate.lowerBound()).isEqualTo(Math.exp(-halfWidth), within(1e-6));
    assertThat(estimate.upperBound()).isEqualTo(Math.exp(halfWidth), within(1e-6));
    assertThat(estimate.rounds()).isEqualTo(3);
  }

  @Test
  void interpolatesTheMedianOfEvenCounts() {
    assertThat(RatioEstimate.of(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
    assertThat(RatioEstimate.of(List.of(4.0, 1.0, 2.0, 3.0)).lowerQuartile()).isEqualTo(1.75);
  }

  @Test
  void hasAnIntervalOfOnePointWhereAllRoundsAgree() {
    RatioEstimate estimate = RatioEstimate.of(List.of(2.0, 2.0, 2.0, 2.0));

    assertThat(estimate.lowerBound()).isEqualTo(2, EXACT);
    assertThat(estimate.upperBound()).isEqualTo(2, EXACT);
  }

  @Test
  void isTheReciprocalWhereTheSidesChangePlaces() {
    List<Double> ratios = List.of(0.8, 1.1, 0.97, 1.3, 0.6);
    RatioEstimate one = RatioEstimate.of(ratios);
    RatioEstimate other = RatioEstimate.of(ratios.stream().map(ratio -> 1 / ratio).toList());

    assertThat(one.lowerBound()).isEqualTo(1 / other.upperBound(), EXACT);
    assertThat(one.upperBound()).isEqualTo(1 / other.lowerBound(), EXACT);
    assertThat(one.median()).isEqualTo(1 / other.median(), EXACT);
  }

  @Test
  void missesTheTruthBelowInOneOfFortyRunsOfEqualSides() {
    var random = new SplittableRandom(14);
    long missed =
        Stream.generate(() -> RatioEstimate.of(ratios(random, 0, 0.1)))
            .limit(SAMPLES)
            .filter(estimate -> estimate.lowerBound() > 1)
            .count();

    // 100 are expected, with a standard deviation of 10.
    assertThat(missed).isBetween(60L, 140L);
  }

  @Test
  void findsASideThatIsTenPercentSlower() {
    var random = new SplittableRandom(15);
    long found =
        Stream.generate(() -> RatioEstimate.of(ratios(random, Math.log(0.9), 0.05)))
            .limit(SAMPLES)
            .filter(estimate -> estimate.lowerBound() < 0.95)
            .count();

    assertThat(found).isEqualTo(SAMPLES);
  }

  @Test
  void refusesWhatGivesNoInterval() {
    assertThatThrownBy(() -> RatioEstimate.of(List.of(1.0, 1.0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("2 ratios give no interval, 3 do");
    for (double ratio : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> RatioEstimate.of(List.of(1.0, 1.0, ratio)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(ratio + " is no ratio of two speeds");
    }
  }

  private static List<Double> ratios(SplittableRandom random, double mean, double deviation) {
    return Stream.generate(() -> Math.exp(mean + deviation * random.nextGaussian()))
        .limit(ROUNDS)
        .toList();
  }
}
