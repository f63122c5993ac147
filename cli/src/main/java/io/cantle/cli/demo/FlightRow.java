package io.cantle.cli.demo;

/**
 * A good row of the file.
 *
 * @param line where it stands, counted from 1
 * @param key names the flight
 * @param flight says what became of it
 */
record FlightRow(int line, FlightKey key, Flight flight) {}
