package io.cantle.core.store;

import io.cantle.core.base.Clock;
import io.cantle.store.segment.SegmentStore.SegmentSize;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Tells how far the loading of copies has come.
 *
 * <p><b>Threading:</b> the thread that loads.
 */
final class LoadingReport {
  private static final System.Logger LOG = System.getLogger(LoadingReport.class.getName());
  private static final long EVERY = TimeUnit.SECONDS.toNanos(2);

  private final String place;
  private final int allSegments;
  private final long allEntries;
  private final Clock clock;
  private final long begin;
  private long last;
  private int segments;
  private long entries;
  private long bytes;

  LoadingReport(String place, List<SegmentSize> sizes, Clock clock) {
    this.place = place;
    this.allSegments = sizes.size();
    this.allEntries = sizes.stream().mapToLong(SegmentSize::entries).sum();
    this.clock = clock;
    this.begin = clock.nanoTime();
    this.last = begin;
  }

  void segment() {
    segments++;
  }

  void entry(int length) {
    entries++;
    bytes += length;
    if ((entries & 1_023) == 0 && clock.nanoTime() - last >= EVERY) {
      last = clock.nanoTime();
      tell("loading");
    }
  }

  void end() {
    if (entries > 0) {
      tell("loaded");
    }
  }

  private void tell(String what) {
    double seconds = Math.max(1e-3, (clock.nanoTime() - begin) / 1e9);
    LOG.log(
        System.Logger.Level.INFO,
        String.format(
            Locale.ROOT,
            "%s %s: %d of %d segments, %,d of %,d entries, %.1f MB/s",
            what,
            place,
            segments,
            allSegments,
            entries,
            allEntries,
            bytes / 1e6 / seconds));
  }
}
