package io.cantle.bench;

/**
 * What one side of {@code bench local} did of one measure in one round.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param side which map
 * @param measure such as {@code get_text}
 * @param callsPerSecond how many calls it made in a second
 * @param slowNanos the 99th percentile of a call, in nanoseconds
 */
record LocalFigure(LocalSide side, String measure, double callsPerSecond, long slowNanos) {

  /** Parses a line of figures: its second to fourth cell. */
  static LocalFigure parse(LocalSide side, String[] cells) {
    return new LocalFigure(side, cells[1], Double.parseDouble(cells[2]), Long.parseLong(cells[3]));
  }
}
