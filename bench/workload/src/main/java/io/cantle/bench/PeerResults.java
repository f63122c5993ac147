package io.cantle.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of all rounds, summed up.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PeerResults {
  private final Map<WorkloadMeasure, Map<Product, List<Double>>> scores = new TreeMap<>();
  private final Map<Product, String> versions = new EnumMap<>(Product.class);
  private int failures;

  /** Adds a round. */
  void add(Product product, PeerRoundResult result) {
    failures += result.failures().size();
    if (!result.version().isEmpty()) {
      versions.put(product, result.version());
    }
    result
        .scores()
        .forEach(
            (measure, score) ->
                scores
                    .computeIfAbsent(measure, absent -> new EnumMap<>(Product.class))
                    .computeIfAbsent(product, absent -> new ArrayList<>())
                    .add(score));
  }

  /** Returns how many things went wrong in all rounds. */
  int failures() {
    return failures;
  }

  /**
   * Returns a row for each product of each measure, in that order; none where every round failed.
   */
  List<PeerRow> rows() {
    List<PeerRow> rows = new ArrayList<>();
    scores.forEach(
        (measure, products) -> {
          List<Double> cantle = products.get(Product.CANTLE);
          products.forEach((product, values) -> rows.add(row(measure, product, values, cantle)));
        });
    return rows;
  }

  private PeerRow row(
      WorkloadMeasure measure,
      Product product,
      List<Double> values,
      @Nullable List<Double> cantle) {
    double median = median(values);
    return new PeerRow(
        measure.workload().label(),
        measure.threads(),
        "ops/s",
        product.label(),
        versions.getOrDefault(product, ""),
        median,
        values.stream().mapToDouble(Double::doubleValue).min().orElseThrow(),
        values.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
        values.size(),
        cantle == null ? null : median / median(cantle));
  }

  /** Returns the value in the middle, or the mean of the two there. */
  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
