package io.cantle.cli.demo;

import org.jspecify.annotations.Nullable;

/**
 * A flight, with its delays.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param destination the airport it goes to
 * @param departureDelayMinutes negative when early, null when it was cancelled
 * @param arrivalDelayMinutes negative when early, null when it did not arrive as planned
 * @param distanceMiles the distance between the two airports
 */
record Flight(
    String destination,
    @Nullable Integer departureDelayMinutes,
    @Nullable Integer arrivalDelayMinutes,
    int distanceMiles) {

  DepartureStatus departure() {
    if (departureDelayMinutes == null) {
      return DepartureStatus.CANCELLED;
    }
    return departureDelayMinutes > 0 ? DepartureStatus.DELAYED : DepartureStatus.PUNCTUAL;
  }
}
