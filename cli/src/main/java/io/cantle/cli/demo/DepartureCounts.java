package io.cantle.cli.demo;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * How many flights left how, by the hour they were scheduled for.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DepartureCounts {
  static final int HOURS = 24;

  private final Map<Departure, long[]> byHour = new EnumMap<>(Departure.class);

  void add(int hour, Departure departure, long count) {
    byHour.computeIfAbsent(departure, _ -> new long[HOURS])[hour] += count;
  }

  long count(int hour, Departure departure) {
    long[] counts = byHour.get(departure);
    return counts == null ? 0 : counts[hour];
  }

  /** Flights of an hour that were not cancelled. */
  long departed(int hour) {
    return count(hour, Departure.PUNCTUAL) + count(hour, Departure.DELAYED);
  }

  long total(Departure departure) {
    long[] counts = byHour.get(departure);
    return counts == null ? 0 : LongStream.of(counts).sum();
  }

  long total() {
    return byHour.values().stream().flatMapToLong(Arrays::stream).sum();
  }

  /** All of it as one word; {@link #parse} reads it. Equal counts have equal texts. */
  String text() {
    return Arrays.stream(Departure.values())
        .flatMapToLong(
            departure -> LongStream.range(0, HOURS).map(hour -> count((int) hour, departure)))
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }

  /**
   * What {@link #text} wrote.
   *
   * @throws IllegalArgumentException if it did not write this
   */
  static DepartureCounts parse(String text) {
    String[] words = text.split(",", -1);
    if (words.length != HOURS * Departure.values().length) {
      throw new IllegalArgumentException(words.length + " are not all counts of departures");
    }
    DepartureCounts read = new DepartureCounts();
    int next = 0;
    for (Departure departure : Departure.values()) {
      for (int hour = 0; hour < HOURS; hour++) {
        read.add(hour, departure, Long.parseLong(words[next++]));
      }
    }
    return read;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DepartureCounts that && text().equals(that.text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
