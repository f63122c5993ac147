package io.cantle.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The comparison of this checkout with the baseline. A ratio is taken within each round, in which
 * both sides took turns, and then estimated over the rounds.
 *
 * <p><b>Threading:</b> one thread.
 */
final class BaselineComparison {

  /**
   * The figures of one measure in a round, where both sides have one.
   *
   * @param cantle this checkout, operations per second
   * @param baseline the other
   */
  record PairedScore(double cantle, double baseline) {

    /** Returns how many times as fast this checkout was. */
    double ratio() {
      return cantle / baseline;
    }
  }

  /** A measure in the JSON file, with the rounds from which its estimate was made. */
  record ComparisonRow(
      String workload,
      int threads,
      String unit,
      RatioEstimate ratio,
      List<Double> cantle,
      List<Double> baseline) {}

  private final Map<WorkloadMeasure, List<PairedScore>> scores = new TreeMap<>();

  /** Adds a round; a measure that failed on either side is left out. */
  void add(PeerRoundResult cantle, PeerRoundResult baseline) {
    cantle
        .scores()
        .forEach(
            (measure, score) -> {
              Double other = baseline.scores().get(measure);
              if (other != null) {
                scores
                    .computeIfAbsent(measure, absent -> new ArrayList<>())
                    .add(new PairedScore(score, other));
              }
            });
  }

  /** Returns the estimate of each measure that enough rounds have, in the order they are taken. */
  Map<WorkloadMeasure, RatioEstimate> estimates() {
    Map<WorkloadMeasure, RatioEstimate> estimates = new LinkedHashMap<>();
    scores.forEach(
        (measure, pairs) -> {
          if (pairs.size() >= RatioEstimate.MIN_ROUNDS) {
            List<Double> ratios = pairs.stream().map(PairedScore::ratio).toList();
            estimates.put(measure, RatioEstimate.of(ratios));
          }
        });
    return estimates;
  }

  /** Returns how many of the measures have a lower bound less than this. */
  long countBelow(double least) {
    return estimates().values().stream().filter(ratio -> ratio.lowerBound() < least).count();
  }

  /**
   * Returns the estimates by name: {@code cantle_to_baseline_get_4} is how many times as fast this
   * checkout serves four threads that get, in the median round.
   */
  Map<String, Double> values() {
    Map<String, Double> values = new LinkedHashMap<>();
    estimates()
        .forEach(
            (measure, ratio) -> {
              String name =
                  "cantle_to_baseline_" + measure.workload().label() + "_" + measure.threads();
              values.put(name, ratio.median());
              values.put(name + "_lower_quartile", ratio.lowerQuartile());
              values.put(name + "_lower_bound", ratio.lowerBound());
            });
    return values;
  }

  /** Returns the rows of the JSON file. */
  List<ComparisonRow> rows() {
    List<ComparisonRow> rows = new ArrayList<>();
    estimates()
        .forEach(
            (measure, ratio) -> {
              List<PairedScore> pairs = scores.getOrDefault(measure, List.of());
              rows.add(
                  new ComparisonRow(
                      measure.workload().label(),
                      measure.threads(),
                      "ops/s",
                      ratio,
                      pairs.stream().map(PairedScore::cantle).toList(),
                      pairs.stream().map(PairedScore::baseline).toList()));
            });
    return rows;
  }
}
