package io.cantle.bench.streams;

import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/**
 * A flight from one of New York's airports.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param flight carrier and number
 * @param origin where it starts
 * @param destination where it goes to
 * @param scheduled when it should depart, local time
 * @param departureDelay minutes, negative when early, null when it was cancelled
 * @param arrivalDelay minutes, null when it never arrived as planned
 * @param miles between the two airports
 */
record FlightOf2013(
    String flight,
    String origin,
    String destination,
    LocalDateTime scheduled,
    @Nullable Integer departureDelay,
    @Nullable Integer arrivalDelay,
    int miles) {

  /** Parses a line of the file. */
  static FlightOf2013 parse(String line) {
    String[] cells = line.split(",", -1);
    return new FlightOf2013(
        cells[0],
        cells[1],
        cells[2],
        LocalDateTime.parse(cells[3]),
        minutes(cells[4]),
        minutes(cells[5]),
        Integer.parseInt(cells[6]));
  }

  private static @Nullable Integer minutes(String cell) {
    return cell.isEmpty() ? null : Integer.valueOf(cell);
  }

  FlightId id() {
    return new FlightId(flight, origin, scheduled);
  }

  String carrier() {
    return flight.substring(0, 2);
  }

  String route() {
    return origin + "-" + destination;
  }

  int hour() {
    return scheduled.getHour();
  }

  int month() {
    return scheduled.getMonthValue();
  }

  boolean isCancelled() {
    return departureDelay == null;
  }

  /** Its delay, which is 0 if it was cancelled. */
  int delay() {
    return departureDelay == null ? 0 : departureDelay;
  }

  boolean isDelayed() {
    return delay() > 0;
  }
}
