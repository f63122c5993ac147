package io.cantle.cli.demo;

/** How a flight left. */
enum DepartureStatus {
  /** On time or early. */
  PUNCTUAL,
  /** At least a minute late. */
  DELAYED,
  /** Not at all. */
  CANCELLED
}
