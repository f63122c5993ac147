package io.cantle.bench;

import java.util.LinkedHashMap;
import java.util.Map;

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

  /** Returns the figures by their names, which people and programs read alike. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("pipeline", pipeline);
    values.put("grid_millis", gridMillis);
    values.put("list_millis", listMillis);
    values.put("ratio", ratio);
    values.put("differences", differences);
    return values;
  }

  /** Parses a line of figures: its second to fifth cell. */
  static StreamRow parse(String[] cells) {
    double grid = Long.parseLong(cells[2]) / NANOS_PER_MILLI;
    double list = Long.parseLong(cells[3]) / NANOS_PER_MILLI;
    return new StreamRow(cells[1], grid, list, grid / list, Integer.parseInt(cells[4]));
  }
}
