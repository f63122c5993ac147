package io.cantle.cli.demo;

import java.time.LocalDateTime;

/**
 * The key of a flight: no two rows of the file share all three components.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param flight the carrier and number
 * @param origin the airport it leaves
 * @param scheduledDeparture the scheduled departure in local time
 */
record FlightKey(String flight, String origin, LocalDateTime scheduledDeparture) {}
