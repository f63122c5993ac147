package io.cantle.cli.demo;

import java.time.LocalDateTime;

/**
 * Which flight: no two rows of the file share all three.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param flight carrier and number
 * @param origin the airport it leaves
 * @param scheduledDeparture in local time
 */
record FlightKey(String flight, String origin, LocalDateTime scheduledDeparture) {}
