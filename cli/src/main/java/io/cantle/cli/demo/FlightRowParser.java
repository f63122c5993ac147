package io.cantle.cli.demo;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses a line into a row. It is written by hand because the demo waits for it: the JDK's parsers
 * for times and regular expressions take several times as long in a process that has just started.
 *
 * <p><b>Threading:</b> one thread, the one that reads the file.
 */
final class FlightRowParser {
  static final String HEADER =
      "flight,origin,dest,scheduled_departure,departure_delay_min,arrival_delay_min,distance_miles";

  private static final int COLUMN_COUNT = 7;
  private static final int MAX_NAME_CHARS = 8;
  private static final int MAX_NUMBER_CHARS = 5;
  private static final String TIME_PATTERN = "0000-00-00T00:00";

  /** Few names occur, each of them often, so each is kept once. */
  private final Map<String, String> names = new HashMap<>();

  private final int[] starts = new int[COLUMN_COUNT + 1];
  private String line = "";

  /**
   * Parses a row.
   *
   * @throws MalformedRowException if the line is malformed
   */
  FlightRow parse(String text, int lineNumber) throws MalformedRowException {
    line = text;
    splitColumns();
    FlightKey key = new FlightKey(name(0, "flight"), name(1, "origin"), time(3));
    Flight flight =
        new Flight(
            name(2, "dest"),
            numberOrNone(4, "departure_delay_min"),
            numberOrNone(5, "arrival_delay_min"),
            distance(6));
    return new FlightRow(lineNumber, key, flight);
  }

  private void splitColumns() throws MalformedRowException {
    int found = 1;
    starts[0] = 0;
    for (int at = line.indexOf(','); at >= 0; at = line.indexOf(',', at + 1)) {
      if (found == COLUMN_COUNT) {
        throw new MalformedRowException(at + 1, "more than " + COLUMN_COUNT + " columns");
      }
      starts[found++] = at + 1;
    }
    if (found < COLUMN_COUNT) {
      throw new MalformedRowException(
          line.length() + 1, "ends after " + found + " of " + COLUMN_COUNT + " columns");
    }
    starts[COLUMN_COUNT] = line.length() + 1;
  }

  private int end(int column) {
    return starts[column + 1] - 1;
  }

  private String field(int column) {
    return line.substring(starts[column], end(column));
  }

  private MalformedRowException malformedColumn(int column, String name, String expected) {
    return new MalformedRowException(
        starts[column] + 1, name + " is \"" + field(column) + "\", not " + expected);
  }

  private String name(int column, String title) throws MalformedRowException {
    String text = field(column);
    boolean good = !text.isEmpty() && text.length() <= MAX_NAME_CHARS;
    for (int i = 0; good && i < text.length(); i++) {
      char c = text.charAt(i);
      good = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
    if (!good) {
      throw malformedColumn(
          column, title, "1 to " + MAX_NAME_CHARS + " capital letters and digits");
    }
    String known = names.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  private LocalDateTime time(int column) throws MalformedRowException {
    int start = starts[column];
    boolean good = end(column) - start == TIME_PATTERN.length();
    for (int i = 0; good && i < TIME_PATTERN.length(); i++) {
      char c = line.charAt(start + i);
      char shape = TIME_PATTERN.charAt(i);
      good = shape == '0' ? c >= '0' && c <= '9' : c == shape;
    }
    if (good) {
      try {
        return LocalDateTime.of(
            parseDigits(start, start + 4),
            parseDigits(start + 5, start + 7),
            parseDigits(start + 8, start + 10),
            parseDigits(start + 11, start + 13),
            parseDigits(start + 14, start + 16));
      } catch (DateTimeException noSuchDay) {
        // Falls through: the digits are in the right places, but there is no such date.
      }
    }
    throw malformedColumn(column, "scheduled_departure", "a time like 2013-01-01T05:15");
  }

  private @Nullable Integer numberOrNone(int column, String name) throws MalformedRowException {
    int start = starts[column];
    int end = end(column);
    if (start == end) {
      return null;
    }
    boolean negative = line.charAt(start) == '-';
    int first = negative ? start + 1 : start;
    boolean good = first < end && end - first <= MAX_NUMBER_CHARS;
    for (int i = first; good && i < end; i++) {
      good = line.charAt(i) >= '0' && line.charAt(i) <= '9';
    }
    if (!good) {
      throw malformedColumn(
          column, name, "a whole number of at most " + MAX_NUMBER_CHARS + " digits");
    }
    return negative ? -parseDigits(first, end) : parseDigits(first, end);
  }

  private int distance(int column) throws MalformedRowException {
    Integer miles = numberOrNone(column, "distance_miles");
    if (miles == null || miles < 0) {
      throw malformedColumn(column, "distance_miles", "a number of miles");
    }
    return miles;
  }

  private int parseDigits(int start, int end) {
    int number = 0;
    for (int i = start; i < end; i++) {
      number = number * 10 + line.charAt(i) - '0';
    }
    return number;
  }
}
