package io.cantle.cli.demo;

/** The departure of a flight, compared with its schedule. */
enum DepartureStatus {
  /** On time or early. */
  PUNCTUAL,
  /** At least a minute late. */
  DELAYED,
  /** Did not depart. */
  CANCELLED
}
