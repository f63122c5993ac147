package io.cantle.store.segment;

import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogStrategy;
import java.time.Duration;

/**
 * The settings of a store.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param log the settings of its log
 * @param tailBytes how many bytes of the log may be newer than all runs before they are sorted into
 *     one; sorting takes as much memory outside the heap. Default: 128 MiB
 * @param runBytes the longest run made by merging others. Default: 1 GiB
 * @param garbagePercent how much of a run must be garbage before it is compacted, 1 to 100. More
 *     means less copying and more disk space. Default: 35
 * @param snapshotPeriodNanos how often a snapshot of the index is written, besides at the end. What
 *     was written after the last one is read again at the start. Default: 5 minutes
 * @param noteBytes how long all notes together may be. Default: 1 MiB
 */
public record StoreOptions(
    LogOptions log,
    long tailBytes,
    long runBytes,
    int garbagePercent,
    long snapshotPeriodNanos,
    int noteBytes) {

  /** The defaults, with this log. */
  public static StoreOptions of(LogOptions log) {
    return new StoreOptions(
        log,
        2L * log.fileBytes(),
        16L * log.fileBytes(),
        35,
        Duration.ofMinutes(5).toNanos(),
        Math.min(1 << 20, log.recordBytes() / 4));
  }

  /** Checks that every setting is in its range. */
  public StoreOptions {
    LogOptions.requireWithin("tailBytes", tailBytes, log.recordBytes(), 1L << 36);
    LogOptions.requireWithin(
        "runBytes", runBytes, log.recordBytes(), RecordLocation.MAX_RUN_BYTES / 2);
    LogOptions.requireWithin("garbagePercent", garbagePercent, 1, 100);
    LogOptions.requireWithin("snapshotPeriodNanos", snapshotPeriodNanos, 1, Long.MAX_VALUE);
    LogOptions.requireWithin("noteBytes", noteBytes, 0, log.recordBytes() / 2);
    if (!log.flushing()) {
      throw new IllegalArgumentException(
          "log.flushing is false, but a store has caches with Durability.SYNC and promises of its"
              + " node, which must survive a power failure; set it to true");
    }
    if (log.strategy() instanceof LogStrategy.Simple
        || log.strategy() instanceof LogStrategy.Waiting) {
      throw new IllegalArgumentException(
          "log.strategy is %s, but callers of a store must not write; set it to GroupCommit or SingleWriter"
              .formatted(log.strategy()));
    }
  }
}
