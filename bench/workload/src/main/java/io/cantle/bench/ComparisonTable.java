package io.cantle.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/**
 * A table of the estimates for people: how many times as fast this checkout is as the baseline.
 *
 * <p><b>Threading:</b> immutable.
 */
record ComparisonTable(Map<WorkloadMeasure, RatioEstimate> estimates) {

  /** Prints it. */
  void print(PrintWriter out) {
    out.println(line("workload", "threads", "median", "quartile", "lower", "upper", "rounds"));
    estimates.forEach(
        (measure, ratio) ->
            out.println(
                line(
                    measure.workload().label(),
                    measure.threads(),
                    figure(ratio.median()),
                    figure(ratio.lowerQuartile()),
                    figure(ratio.lowerBound()),
                    figure(ratio.upperBound()),
                    ratio.rounds())));
    out.println(
        "this checkout to the baseline, more than 1 is faster: median and lower quartile of the "
            + "rounds' ratios,");
    out.println(
        "lower and upper bound of the 95 % interval of their mean (Student's t on logarithms)");
  }

  /**
   * Formats a ratio for people. It has more digits than its noise justifies, so that it can be
   * compared with a limit.
   */
  static String figure(double ratio) {
    return String.format(Locale.ROOT, "%.4f", ratio);
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-9s %7s %9s %9s %9s %9s %7s", cells).stripTrailing();
  }
}
