package io.cantle.bench;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/**
 * A table of the figures for people: rows grouped by workload and threads.
 *
 * <p><b>Threading:</b> immutable.
 */
record PeerTable(List<PeerRow> rows) {
  private static final MathContext FIGURE = new MathContext(3);

  PeerTable {
    rows = List.copyOf(rows);
  }

  /** Prints it. */
  void print(PrintWriter out) {
    out.println(
        line(
            "workload",
            "threads",
            "product",
            "version",
            "median",
            "min",
            "max",
            "to cantle",
            "cantle is"));
    String group = "";
    for (PeerRow row : rows) {
      String of = row.workload() + row.threads();
      boolean first = !of.equals(group);
      group = of;
      Double ratio = row.ratioToCantle();
      out.println(
          line(
              first ? row.workload() : "",
              first ? Integer.toString(row.threads()) : "",
              row.product(),
              row.version(),
              figure(row.median()),
              figure(row.min()),
              figure(row.max()),
              ratio == null ? "-" : figure(ratio),
              ratio == null ? "-" : figure(1 / ratio) + " x"));
    }
    out.println("median, min and max over the rounds, in operations per second");
  }

  /** Formats a number for people: three digits, or all before the point. */
  static String figure(double value) {
    if (value >= 1_000) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    BigDecimal rounded = BigDecimal.valueOf(value).round(FIGURE);
    // 1.00 keeps its zeros, so that columns show how exact the numbers are.
    int scale = Math.max(0, FIGURE.getPrecision() - rounded.precision() + rounded.scale());
    return rounded.setScale(scale, RoundingMode.HALF_UP).toPlainString();
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-9s %7s  %-11s %-15s %9s %9s %9s %10s %10s", cells)
        .stripTrailing();
  }
}
