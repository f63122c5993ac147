package io.cantle;

/**
 * How long calls took at this node, from the call to its result, in nanoseconds. A percentile is
 * the time within which that part of the calls ended; it is at most an eighth too high.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param count how many calls were measured
 * @param meanNanos their mean
 * @param p50Nanos half of them were as fast as this
 * @param p90Nanos nine of ten
 * @param p99Nanos 99 of 100
 * @param p999Nanos 999 of 1,000
 * @param maxNanos the slowest one
 */
public record LatencyFigures(
    long count,
    long meanNanos,
    long p50Nanos,
    long p90Nanos,
    long p99Nanos,
    long p999Nanos,
    long maxNanos) {

  /** No call was measured. */
  public static final LatencyFigures NONE = new LatencyFigures(0, 0, 0, 0, 0, 0, 0);
}
