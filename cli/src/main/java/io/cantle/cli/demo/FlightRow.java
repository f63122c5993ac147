package io.cantle.cli.demo;

/**
 * A well-formed row of the file.
 *
 * @param line its line number, counted from 1
 * @param key the key of the flight
 * @param flight the data of the flight
 */
record FlightRow(int line, FlightKey key, Flight flight) {}
