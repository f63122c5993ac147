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
record RoundSpread(double median, double min, double max, int rounds) {

  /**
   * Returns the spread of these values.
   *
   * @param values at least one
   */
  static RoundSpread of(List<Double> values) {
    return new RoundSpread(
        PeerResults.median(values),
        Collections.min(values),
        Collections.max(values),
        values.size());
  }
}
