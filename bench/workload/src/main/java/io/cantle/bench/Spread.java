package io.cantle.bench;

import java.util.Collections;
import java.util.List;

/**
 * A figure over the rounds.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param median the one in the middle
 * @param min the least
 * @param max the greatest
 * @param rounds how many there were
 */
record Spread(double median, double min, double max, int rounds) {

  /**
   * Of these.
   *
   * @param values at least one
   */
  static Spread of(List<Double> values) {
    return new Spread(
        Results.median(values), Collections.min(values), Collections.max(values), values.size());
  }
}
