package io.cantle.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of the figures of {@code bench log} for people.
 *
 * <p><b>Threading:</b> immutable.
 */
record LogTable(List<LogRow> rows) {

  LogTable {
    rows = List.copyOf(rows);
  }

  /** Prints a line for each row. */
  void print(PrintWriter out) {
    out.println(
        line(
            "writers",
            "log",
            "version",
            "record",
            "median",
            "min",
            "max",
            "a sync",
            "cpu",
            "to simple"));
    int group = 0;
    for (LogRow row : rows) {
      boolean first = row.writers() != group;
      group = row.writers();
      out.println(
          line(
              first ? row.writers() : "",
              row.log(),
              row.version(),
              String.format(Locale.ROOT, "%,d", row.recordBytes()),
              PeerTable.figure(row.median()),
              PeerTable.figure(row.min()),
              PeerTable.figure(row.max()),
              figure(row.recordsPerSync()),
              PeerTable.figure(row.processors()),
              figure(row.toSimple())));
    }
    out.println(
        "median, min and max over the rounds, in appends per second; a sync: records that shared one;"
            + " cpu: processors at work");
  }

  /** Prints a line for each ratio, and nothing where there is none. */
  static void printRatios(PrintWriter out, Map<String, RoundSpread> ratios) {
    if (ratios.isEmpty()) {
      return;
    }
    out.println();
    out.println(ratioLine("ratio, taken within each round", "median", "min", "max"));
    ratios.forEach(
        (name, ratio) ->
            out.println(
                ratioLine(
                    name,
                    PeerTable.figure(ratio.median()),
                    PeerTable.figure(ratio.min()),
                    PeerTable.figure(ratio.max()))));
  }

  private static String figure(@Nullable Double value) {
    return value == null ? "-" : PeerTable.figure(value);
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%7s  %-27s %-14s %7s %9s %9s %9s %7s %6s %10s", cells)
        .stripTrailing();
  }

  private static String ratioLine(Object... cells) {
    return String.format(Locale.ROOT, "%-40s %9s %9s %9s", cells);
  }
}
