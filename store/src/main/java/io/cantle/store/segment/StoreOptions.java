package io.cantle.store.segment;

import io.cantle.store.log.LogOptions;
import io.cantle.store.log.SyncPolicy;
import java.time.Duration;

/**
 * How a store is kept.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param log how its log is kept
 * @param tailBytes how much of the log may be newer than all runs before it is sorted into one; as
 *     much memory outside the heap is taken while that is done. 128 MiB unless said otherwise
 * @param runBytes how long a run becomes at most when others are copied into it; 1 GiB unless said
 *     otherwise
 * @param garbagePercent how much of a run is not wanted any more before it is copied, 1 to 100; 35
 *     unless said otherwise: more costs less copying and more disk
 * @param snapshotPeriodNanos how often the index is written down besides at the end; 5 minutes
 *     unless said otherwise. What came after it is read again at the start
 * @param noteBytes how long all notes may be together; 1 MiB unless said otherwise
 */
public record StoreOptions(
    LogOptions log,
    long tailBytes,
    long runBytes,
    int garbagePercent,
    long snapshotPeriodNanos,
    int noteBytes) {

  /** The defaults, with a log of this policy. */
  public static StoreOptions of(SyncPolicy policy) {
    return of(LogOptions.of(policy));
  }

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

  /** Checks every setting. */
  public StoreOptions {
    requireWithin("tailBytes", tailBytes, log.recordBytes(), 1L << 36);
    requireWithin("runBytes", runBytes, log.recordBytes(), RecordLocation.MAX_RUN_BYTES / 2);
    requireWithin("garbagePercent", garbagePercent, 1, 100);
    requireWithin("snapshotPeriodNanos", snapshotPeriodNanos, 1, Long.MAX_VALUE);
    requireWithin("noteBytes", noteBytes, 0, log.recordBytes() / 2);
  }

  private static void requireWithin(String setting, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          setting + " " + value + " is not within " + min + ".." + max);
    }
  }
}
