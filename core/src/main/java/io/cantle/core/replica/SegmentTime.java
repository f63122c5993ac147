package io.cantle.core.replica;

/**
 * The time of a segment as it was known at some moment here. It goes on with this node's own
 * monotonic clock, never with its time of day.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param millis the time of the segment
 * @param atNanos when that was, by this node's monotonic clock
 */
public record SegmentTime(long millis, long atNanos) {
  /** What it is at another moment of the same clock. */
  public long millisAt(long nanoTime) {
    return millis + (nanoTime - atNanos) / 1_000_000;
  }
}
