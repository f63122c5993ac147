package io.cantle.bench;

import java.util.Arrays;
import java.util.List;
import org.openjdk.jmh.util.ListStatistics;

/**
 * An estimate of how many times as fast one side is as the other, from the ratios of paired rounds.
 * The interval is Student's for the mean of the logarithms of the ratios. It contains their
 * geometric mean with a confidence of {@link #CONFIDENCE}; half of the rest lies below it.
 * Logarithms make twice as fast and half as fast equally far from one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param median of the ratios
 * @param lowerQuartile of the ratios, interpolated between the two nearest
 * @param lowerBound of the interval
 * @param upperBound of the interval
 * @param rounds how many ratios there are
 */
record RatioEstimate(
    double median, double lowerQuartile, double lowerBound, double upperBound, int rounds) {

  /** The confidence of the interval from its lower to its upper bound. */
  static final double CONFIDENCE = 0.95;

  /** Fewer ratios give no useful interval. */
  static final int MIN_ROUNDS = 3;

  /**
   * Returns the estimate from these ratios.
   *
   * @param ratios at least {@link #MIN_ROUNDS}, all above zero
   */
  static RatioEstimate of(List<Double> ratios) {
    if (ratios.size() < MIN_ROUNDS) {
      throw new IllegalArgumentException(
          ratios.size() + " ratios give no interval, " + MIN_ROUNDS + " do");
    }
    for (double ratio : ratios) {
      if (!(ratio > 0) || Double.isInfinite(ratio)) {
        throw new IllegalArgumentException(ratio + " is no ratio of two speeds");
      }
    }
    double[] sorted = ratios.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    double[] interval =
        new ListStatistics(Arrays.stream(sorted).map(Math::log).toArray())
            .getConfidenceIntervalAt(CONFIDENCE);
    return new RatioEstimate(
        quantile(sorted, 0.5),
        quantile(sorted, 0.25),
        Math.exp(interval[0]),
        Math.exp(interval[1]),
        sorted.length);
  }

  private static double quantile(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
