package io.cantle.bench;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogFigures;
import io.cantle.bench.log.LogVariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of {@code bench log}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param writers how many append at once
 * @param log the variant, and how it is set
 * @param version of the product; empty where this build is the product
 * @param recordBytes the size of a record
 * @param median appends in a second, over the rounds
 * @param min the worst round
 * @param max the best round
 * @param rounds how many succeeded
 * @param processors how many were busy, the median
 * @param recordsPerSync the median; null where the log does not tell
 * @param toSimple how many times the appends of the simple log with as many writers; null without
 */
record LogRow(
    int writers,
    String log,
    String version,
    int recordBytes,
    double median,
    double min,
    double max,
    int rounds,
    double processors,
    @Nullable Double recordsPerSync,
    @Nullable Double toSimple) {

  /** Returns the row of each cell that has a figure. */
  static List<LogRow> of(LogResults results, Map<String, String> versions) {
    List<LogRow> rows = new ArrayList<>();
    for (LogCell cell : results.cells()) {
      RoundSpread appends = results.spread(cell, LogFigures::perSecond);
      RoundSpread processors = results.spread(cell, LogFigures::processors);
      RoundSpread shared = results.spread(cell, LogFigures::recordsPerSync);
      if (appends == null || processors == null || shared == null) {
        continue;
      }
      RoundSpread toSimple =
          results.ratio(cell, LogCell.of(LogVariant.SIMPLE, cell.writers()), LogFigures::perSecond);
      rows.add(
          new LogRow(
              cell.writers(),
              cell.label(),
              versions.getOrDefault(cell.variant().label(), ""),
              cell.recordBytes(),
              appends.median(),
              appends.min(),
              appends.max(),
              appends.rounds(),
              processors.median(),
              Double.isNaN(shared.median()) ? null : shared.median(),
              toSimple == null ? null : toSimple.median()));
    }
    return rows;
  }
}
