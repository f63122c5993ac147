package io.cantle.bench;

/**
 * What one side of a benchmark of maps did of one measure in one round.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param side the label of the map
 * @param measure such as {@code get_text}
 * @param amount how many calls it made in a second, or what else the measure is about
 * @param slowNanos the 99th percentile of a call, in nanoseconds; 0 if it is not about calls
 */
record MapFigure(String side, String measure, double amount, long slowNanos) {

  boolean isOf(String which, String what) {
    return side.equals(which) && measure.equals(what);
  }

  /** Parses a line of figures: its second to fifth cell. */
  static MapFigure parse(String[] cells) {
    return new MapFigure(
        cells[1], cells[2], Double.parseDouble(cells[3]), Long.parseLong(cells[4]));
  }
}
