package io.cantle.bench;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The result of one product in one round; written to a file by its JVM and read by the command
 * line.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param version of the product
 * @param scores operations per second of each measure that succeeded
 * @param failures one line for each thing that went wrong
 */
record PeerRoundResult(String version, Map<WorkloadMeasure, Double> scores, List<String> failures) {

  PeerRoundResult {
    scores = Map.copyOf(scores);
    failures = List.copyOf(failures);
  }

  /** Returns the result of a round without figures. */
  static PeerRoundResult ofFailure(String failure) {
    return new PeerRoundResult("", Map.of(), List.of(failure));
  }

  /** Writes the file. */
  void write(Path file) throws IOException {
    var properties = new Properties();
    properties.setProperty("version", version);
    scores.forEach(
        (measure, score) ->
            properties.setProperty("score." + measure.label(), Double.toString(score)));
    for (int index = 0; index < failures.size(); index++) {
      properties.setProperty("failure." + index, failures.get(index));
    }
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
  }

  /** Reads what {@link #write} wrote. */
  static PeerRoundResult read(Path file) throws IOException {
    var properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<WorkloadMeasure, Double> scores = new TreeMap<>();
    List<String> failures = new ArrayList<>();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      String value = properties.getProperty(name);
      if (name.startsWith("score.")) {
        scores.put(WorkloadMeasure.parse(name.substring("score.".length())), Double.valueOf(value));
      } else if (name.startsWith("failure.")) {
        failures.add(value);
      }
    }
    return new PeerRoundResult(properties.getProperty("version", ""), scores, failures);
  }
}
