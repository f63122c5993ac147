package io.cantle.cli.demo;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Counts flights by departure status and by the hour of their scheduled departure.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DepartureCounts {
  static final int HOURS_PER_DAY = 24;

  private final Map<DepartureStatus, long[]> byHour = new EnumMap<>(DepartureStatus.class);

  void add(int hour, DepartureStatus departure, long count) {
    byHour.computeIfAbsent(departure, _ -> new long[HOURS_PER_DAY])[hour] += count;
  }

  long count(int hour, DepartureStatus departure) {
    long[] counts = byHour.get(departure);
    return counts == null ? 0 : counts[hour];
  }

  /** The flights of an hour that were not cancelled. */
  long departedCount(int hour) {
    return count(hour, DepartureStatus.PUNCTUAL) + count(hour, DepartureStatus.DELAYED);
  }

  long total(DepartureStatus departure) {
    long[] counts = byHour.get(departure);
    return counts == null ? 0 : LongStream.of(counts).sum();
  }

  long total() {
    return byHour.values().stream().flatMapToLong(Arrays::stream).sum();
  }

  /** Encodes all counts without spaces, for {@link #parse}. Equal counts have equal texts. */
  String toText() {
    return Arrays.stream(DepartureStatus.values())
        .flatMapToLong(
            departure ->
                LongStream.range(0, HOURS_PER_DAY).map(hour -> count((int) hour, departure)))
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }

  /**
   * Reads what {@link #toText} wrote.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  static DepartureCounts parse(String text) {
    String[] words = text.split(",", -1);
    if (words.length != HOURS_PER_DAY * DepartureStatus.values().length) {
      throw new IllegalArgumentException(
          words.length + " numbers are not a table of departure counts");
    }
    DepartureCounts read = new DepartureCounts();
    int next = 0;
    for (DepartureStatus departure : DepartureStatus.values()) {
      for (int hour = 0; hour < HOURS_PER_DAY; hour++) {
        read.add(hour, departure, Long.parseLong(words[next++]));
      }
    }
    return read;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DepartureCounts that && toText().equals(that.toText());
  }

  @Override
  public int hashCode() {
    return toText().hashCode();
  }

  @Override
  public String toString() {
    return toText();
  }
}
