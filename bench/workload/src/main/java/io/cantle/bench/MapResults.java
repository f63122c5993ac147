package io.cantle.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * The figures of all rounds of a benchmark of maps.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param comparison what is compared
 * @param rounds the figures of each round: one of each side and measure
 */
record MapResults(MapComparison comparison, List<List<MapFigure>> rounds) {

  MapResults {
    rounds = rounds.stream().map(List::copyOf).toList();
  }

  /** Returns the names of the measures. */
  List<String> measures() {
    return List.copyOf(new TreeSet<>(rounds.getFirst().stream().map(MapFigure::measure).toList()));
  }

  /** Returns the median of a side's amounts. */
  double medianAmount(String side, String measure) {
    return median(side, measure, MapFigure::amount);
  }

  /** Returns the median of a side's 99th percentiles, in nanoseconds. */
  double medianSlowNanos(String side, String measure) {
    return median(side, measure, MapFigure::slowNanos);
  }

  private double median(String side, String measure, ToDoubleFunction<MapFigure> figure) {
    return PeerResults.median(
        rounds.stream().map(round -> figure.applyAsDouble(find(round, side, measure))).toList());
  }

  /** Returns the ratio that a goal is about. */
  RatioEstimate ratio(MapGoal goal) {
    List<Double> ratios = new ArrayList<>();
    for (List<MapFigure> round : rounds) {
      ratios.add(
          find(round, goal.more(), goal.measure()).amount()
              / find(round, goal.less(), goal.measure()).amount());
    }
    return RatioEstimate.of(ratios);
  }

  /** Whether the lower bound of each ratio is as its goal says. */
  boolean holds() {
    return belowGoal() == 0;
  }

  private long belowGoal() {
    return comparison.goals().stream()
        .filter(goal -> rounded(ratio(goal).lowerBound()) < goal.least())
        .count();
  }

  /** Returns the named values with which the command ends. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    for (MapGoal goal : comparison.goals()) {
      RatioEstimate ratio = ratio(goal);
      values.put(goal.label(), rounded(ratio.median()));
      values.put(goal.label() + "_lower_bound", rounded(ratio.lowerBound()));
      values.put(goal.label() + "_least", goal.least());
    }
    values.put("ratios", comparison.goals().size());
    values.put("below_least", belowGoal());
    return values;
  }

  /** Returns the rows of the table: one for each measure and each side that has it. */
  List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String measure : measures()) {
      for (MapSide side : comparison.sides()) {
        if (rounds.getFirst().stream().noneMatch(figure -> figure.isOf(side.label(), measure))) {
          continue;
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("measure", measure);
        row.put("side", side.label());
        row.put(comparison.amount(), Math.round(medianAmount(side.label(), measure)));
        row.put("p99_nanos", Math.round(medianSlowNanos(side.label(), measure)));
        rows.add(row);
      }
    }
    return rows;
  }

  /** Returns the rows as lines for people, under a line of names. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(line("measure", "side", comparison.amount(), "p99_nanos"));
    rows().forEach(row -> lines.add(line(row.values().toArray())));
    return lines;
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-16s %-12s %16s %10s", cells);
  }

  private static MapFigure find(List<MapFigure> round, String side, String measure) {
    return round.stream()
        .filter(figure -> figure.isOf(side, measure))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + measure + " of " + side));
  }

  /** A ratio as it is printed, so that what is compared with the goal is what people see. */
  private static double rounded(double ratio) {
    return Math.round(ratio * 1_000) / 1_000.0;
  }
}
