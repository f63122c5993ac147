package io.cantle.cli.demo;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The number of flights on a route.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param route the origin and destination, as in {@code JFK-LAX}
 * @param flights the number of flights, cancelled ones included
 */
record RouteCount(String route, long flights) implements Comparable<RouteCount> {
  /** How many routes are shown. */
  static final int TOP_COUNT = 10;

  private static final Comparator<RouteCount> BUSIEST_FIRST =
      Comparator.comparingLong(RouteCount::flights)
          .reversed()
          .thenComparing((RouteCount count) -> count.route);

  /** The name of a route. */
  static String routeOf(FlightKey key, Flight flight) {
    return key.origin() + "-" + flight.destination();
  }

  /** Orders the busiest route first, and equally busy ones by name. */
  @Override
  public int compareTo(RouteCount other) {
    return BUSIEST_FIRST.compare(this, other);
  }

  /** Returns the busiest of these routes. */
  static List<RouteCount> busiest(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(count -> new RouteCount(count.getKey(), count.getValue()))
        .sorted()
        .limit(TOP_COUNT)
        .toList();
  }

  /** Encodes routes without spaces, for {@link #parse}. */
  static String toText(List<RouteCount> routes) {
    return routes.stream()
        .map(count -> count.route + ":" + count.flights)
        .collect(Collectors.joining(","));
  }

  /**
   * Reads what {@link #toText} wrote.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  static List<RouteCount> parse(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(
            word -> {
              int colon = word.lastIndexOf(':');
              if (colon < 1) {
                throw new IllegalArgumentException("\"" + word + "\" is no count of a route");
              }
              return new RouteCount(
                  word.substring(0, colon), Long.parseLong(word.substring(colon + 1)));
            })
        .toList();
  }

  /** The form in the JSON results. */
  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("route", route);
    json.put("flights", flights);
    return json;
  }
}
