package io.cantle.bench.streams;

import java.time.LocalDateTime;

/**
 * The key of a flight.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param flight carrier and number
 * @param origin where it starts
 * @param scheduled when it should depart, local time
 */
record FlightId(String flight, String origin, LocalDateTime scheduled)
    implements Comparable<FlightId> {
  @Override
  public int compareTo(FlightId other) {
    int order = scheduled.compareTo(other.scheduled);
    order = order != 0 ? order : flight.compareTo(other.flight);
    return order != 0 ? order : origin.compareTo(other.origin);
  }
}
