package io.cantle.bench.streams;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * The flights as plain lists, which the JDK's streams run over.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entries keys and values
 * @param keys the keys
 * @param values the flights
 */
record FlightList(
    List<Map.Entry<FlightId, FlightOf2013>> entries,
    List<FlightId> keys,
    List<FlightOf2013> values) {

  /** Reads the flights of a file. */
  static FlightList read(Path file) throws IOException {
    List<Map.Entry<FlightId, FlightOf2013>> entries = new ArrayList<>();
    List<FlightId> keys = new ArrayList<>();
    List<FlightOf2013> values = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.US_ASCII))) {
      lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        FlightOf2013 flight = FlightOf2013.parse(line);
        keys.add(flight.id());
        values.add(flight);
        entries.add(Map.entry(keys.getLast(), flight));
      }
    }
    return new FlightList(entries, keys, values);
  }

  int size() {
    return entries.size();
  }
}
