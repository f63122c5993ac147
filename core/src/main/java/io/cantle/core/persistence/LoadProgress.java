package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import io.cantle.store.segment.SegmentStore.SegmentSize;
import java.util.List;
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

  private final String directory;
  private final int totalSegments;
  private final long totalEntries;
  private final Clock clock;
  private final long beginNanos;
  private long lastReportNanos;
  private int segments;
  private long entries;
  private long bytes;

  LoadProgress(String directory, List<SegmentSize> sizes, Clock clock) {
    this.directory = directory;
    this.totalSegments = sizes.size();
    this.totalEntries = sizes.stream().mapToLong(SegmentSize::entryCount).sum();
    this.clock = clock;
    this.beginNanos = clock.nanoTime();
    this.lastReportNanos = beginNanos;
  }

  void countSegment() {
    segments++;
  }

  void countEntry(int length) {
    entries++;
    bytes += length;
    if ((entries & 1_023) == 0 && clock.nanoTime() - lastReportNanos >= REPORT_INTERVAL_NANOS) {
      lastReportNanos = clock.nanoTime();
      logProgress("loading");
    }
  }

  void finish() {
    if (entries > 0) {
      logProgress("loaded");
    }
  }

  private void logProgress(String action) {
    double seconds = Math.max(1e-3, (clock.nanoTime() - beginNanos) / 1e9);
    LOG.log(
        System.Logger.Level.INFO,
        String.format(
            Locale.ROOT,
            "%s %s: %d of %d segments, %,d of %,d entries, %.1f MB/s",
            action,
            directory,
            segments,
            totalSegments,
            entries,
            totalEntries,
            bytes / 1e6 / seconds));
  }
}
