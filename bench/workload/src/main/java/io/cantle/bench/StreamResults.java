package io.cantle.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of {@code bench streams}, and whether what the command shows holds.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param rows one for each pipeline
 */
record StreamResults(List<StreamRow> rows) {
  /** The pipeline that iterates over all entries. */
  static final String ITERATE = "iterate";

  /** The pipeline that collects all entries into a map. */
  static final String TO_MAP = "to_map";

  /** How the names of pipelines begin that sort and take the first ten. */
  static final String SORTED_LIMIT = "sorted_limit";

  /** How many times as long as over the list the first ten may take. */
  static final double MAX_SORTED_LIMIT_RATIO = 4;

  /** How many times as long as an iteration a map of all entries may take. */
  static final double MAX_TO_MAP_RATIO = 1.3;

  StreamResults {
    rows = List.copyOf(rows);
  }

  /** Returns how often a result differed from the list's. */
  int differences() {
    return rows.stream().mapToInt(StreamRow::differences).sum();
  }

  /** Returns the ratio to the list of the worst pipeline that takes the first ten. */
  double sortedLimitRatio() {
    return rounded(
        rows.stream()
            .filter(row -> row.pipeline().startsWith(SORTED_LIMIT))
            .mapToDouble(StreamRow::ratio)
            .max()
            .orElse(Double.NaN));
  }

  /** Returns how many times as long as an iteration a map of all entries takes. */
  double toMapToIterateRatio() {
    return rounded(gridMillis(TO_MAP) / gridMillis(ITERATE));
  }

  /** A ratio as it is printed, so that what is compared with the limit is what people see. */
  private static double rounded(double ratio) {
    return Double.isNaN(ratio) ? ratio : Math.round(ratio * 100) / 100.0;
  }

  private double gridMillis(String pipeline) {
    return rows.stream()
        .filter(row -> row.pipeline().equals(pipeline))
        .mapToDouble(StreamRow::gridMillis)
        .findFirst()
        .orElse(Double.NaN);
  }

  /** Returns the named values with which the command ends. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("pipelines", rows.size());
    values.put("differences", differences());
    values.put("sorted_limit_ratio", sortedLimitRatio());
    values.put("sorted_limit_ratio_most", MAX_SORTED_LIMIT_RATIO);
    values.put("to_map_to_iterate_ratio", toMapToIterateRatio());
    values.put("to_map_to_iterate_ratio_most", MAX_TO_MAP_RATIO);
    return values;
  }

  /** Whether there is no difference, and both ratios are within their limits. */
  boolean holds() {
    return differences() == 0
        && sortedLimitRatio() <= MAX_SORTED_LIMIT_RATIO
        && toMapToIterateRatio() <= MAX_TO_MAP_RATIO;
  }
}
