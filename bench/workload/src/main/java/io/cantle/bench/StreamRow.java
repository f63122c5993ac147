package io.cantle.bench;

/**
 * The figures of one pipeline of {@code bench streams}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param pipeline its name
 * @param gridMillis the median time over the cache
 * @param listMillis the median time over the list
 * @param ratio the first divided by the second
 * @param differences how often the results differed
 */
record StreamRow(
    String pipeline, double gridMillis, double listMillis, double ratio, int differences) {
  private static final double NANOS_PER_MILLI = 1e6;

  /** Parses a line of figures: its second to fifth cell. */
  static StreamRow parse(String[] cells) {
    double grid = Long.parseLong(cells[2]) / NANOS_PER_MILLI;
    double list = Long.parseLong(cells[3]) / NANOS_PER_MILLI;
    return new StreamRow(cells[1], grid, list, grid / list, Integer.parseInt(cells[4]));
  }
}
