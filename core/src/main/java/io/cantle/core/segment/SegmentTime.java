package io.cantle.core.segment;

/**
 * The time of a segment as it was known here at some moment. It advances with this node's own
 * monotonic clock, never with its time of day.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param millis the time of the segment
 * @param atNanos the monotonic time of this node at that moment
 */
public record SegmentTime(long millis, long atNanos) {
  /** The time of the segment at another moment of the same clock. */
  public long millisAt(long nanoTime) {
    return millis + (nanoTime - atNanos) / 1_000_000;
  }
}
