package io.cantle.bench.log;

/**
 * What one cell measured in one round.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param appends how many returned in the time measured
 * @param nanos how long that was
 * @param cpuNanos what the process used of all processors meanwhile
 * @param syncs from open to close, or {@link LogUnderTest#UNKNOWN_SYNCS}
 * @param allAppends from open to close
 */
public record LogFigures(long appends, long nanos, long cpuNanos, long syncs, long allAppends) {

  /** Appends in a second. */
  public double perSecond() {
    return appends * 1e9 / nanos;
  }

  /** How many processors were at work. */
  public double processors() {
    return (double) cpuNanos / nanos;
  }

  /** How many records shared a sync; NaN where that is not known. */
  public double recordsPerSync() {
    return syncs > 0 ? (double) allAppends / syncs : Double.NaN;
  }
}
