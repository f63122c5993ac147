package io.cantle.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * A table of the figures of {@code bench streams} for people.
 *
 * <p><b>Threading:</b> immutable.
 */
record StreamTable(List<StreamRow> rows) {

  StreamTable {
    rows = List.copyOf(rows);
  }

  /** Prints a line for each row. */
  void print(PrintWriter out) {
    out.println(line("pipeline", "grid_millis", "list_millis", "ratio", "differences"));
    for (StreamRow row : rows) {
      out.println(
          line(
              row.pipeline(),
              figure(row.gridMillis()),
              figure(row.listMillis()),
              figure(row.ratio()),
              row.differences() == 0 ? "" : row.differences()));
    }
    out.println("medians over the rounds; a list that need not be looked at has no telling ratio");
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-22s %11s %11s %10s  %s", cells).stripTrailing();
  }
}
