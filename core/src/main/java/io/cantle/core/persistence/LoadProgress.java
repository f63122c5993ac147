package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Logs the progress of loading replicas.
 *
 * <p><b>Threading:</b> the thread that loads.
 */
final class LoadProgress {
  private static final System.Logger LOG = System.getLogger(LoadProgress.class.getName());
  private static final long REPORT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time is looked at only once in so many entries. */
  private static final int VISITS_PER_LOOK = 1_024;

  private final String directory;
  private final int totalSegments;
  private final Clock clock;
  private final long beginNanos;
  private long lastReportNanos;
  private int segments;
  private long visited;
  private long entries;
  private long evictedValues;
  private long bytes;

  /** Begins with nothing loaded yet of this many segments. */
  LoadProgress(String directory, int totalSegments, Clock clock) {
    this.directory = directory;
    this.totalSegments = totalSegments;
    this.clock = clock;
    this.beginNanos = clock.nanoTime();
    this.lastReportNanos = beginNanos;
  }

  void countSegment() {
    segments++;
  }

  /**
   * Counts what was read of the disk. A tombstone counts as no entry, since users see none.
   *
   * @param length the bytes of key and value
   * @param isEvicted whether the value stays on disk
   */
  void countEntry(int length, boolean isTombstone, boolean isEvicted) {
    entries += isTombstone ? 0 : 1;
    evictedValues += isEvicted ? 1 : 0;
    bytes += length;
    if (++visited % VISITS_PER_LOOK == 0
        && clock.nanoTime() - lastReportNanos >= REPORT_INTERVAL_NANOS) {
      lastReportNanos = clock.nanoTime();
      logProgress("loading", segments + " of " + totalSegments);
    }
  }

  void finish() {
    if (entries > 0) {
      logProgress("loaded", String.valueOf(segments));
    }
  }

  private void logProgress(String action, String segmentText) {
    double seconds = Math.max(1e-3, (clock.nanoTime() - beginNanos) / 1e9);
    LOG.log(
        System.Logger.Level.INFO,
        String.format(
            Locale.ROOT,
            "%s %s: %,d entries in %s segments, %s%.1f MB/s",
            action,
            directory,
            entries,
            segmentText,
            evictedValues == 0
                ? ""
                : String.format(Locale.ROOT, "%,d values stay on disk only, ", evictedValues),
            bytes / 1e6 / seconds));
  }
}
