package io.cantle.bench.log;

/**
 * What one cell measured in one round.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param appends how many returned in the time measured
 * @param nanos how long that was
 * @param cpuNanos the processor time of the process meanwhile
 * @param syncs from open to close, or {@link LogUnderTest#UNKNOWN_SYNCS}
 * @param allAppends from open to close
 */
public record LogFigures(long appends, long nanos, long cpuNanos, long syncs, long allAppends) {

  /** Returns the appends per second. */
  public double perSecond() {
    return appends * 1e9 / nanos;
  }

  /** Returns how many processors were busy. */
  public double processors() {
    return (double) cpuNanos / nanos;
  }

  /** Returns how many records shared a sync; NaN where that is not known. */
  public double recordsPerSync() {
    return syncs > 0 ? (double) allAppends / syncs : Double.NaN;
  }
}
