package io.cantle.core.stream.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collector;

/**
 * What of a result is determined although the elements have no order.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Sizes {
  private Sizes() {}

  /** The number of elements in each group. */
  static Map<Object, Integer> of(Map<?, List<Trip>> groups) {
    Map<Object, Integer> sizes = new HashMap<>();
    groups.forEach((key, group) -> sizes.put(key, group.size()));
    return sizes;
  }

  static List<Trip> sorted(List<Trip> trips) {
    return trips.stream().sorted().toList();
  }

  /** A collector that is none of the JDK's: the most stops of a trip. */
  static Collector<Trip, ?, Integer> longest() {
    return Collector.of(
        () -> new int[1],
        (most, trip) -> most[0] = Math.max(most[0], trip.stops().size()),
        (left, right) -> {
          left[0] = Math.max(left[0], right[0]);
          return left;
        },
        most -> most[0]);
  }
}
