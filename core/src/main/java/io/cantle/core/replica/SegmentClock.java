package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A copy's idea of the time of its segment, in milliseconds. It begins at 0 when a first entry with
 * an end is written, and goes on with the node's monotonic clock. The primary's is the true one:
 * others follow what it sends and are behind it by what that took, never ahead but by how much
 * faster their clocks have run since.
 *
 * <p><b>Threading:</b> any thread reads; written guarded by the lock of the replica.
 */
final class SegmentClock {
  /** What is told of one that has not begun. */
  static final long NOT_STARTED = -1;

  /** Clocks of two nodes differ by less than this part of the time that passes. */
  private static final int DRIFT_DIVISOR = 64;

  private final Clock clock;
  private volatile @Nullable SegmentTime lastKnown;

  /** Whose primary was followed last. */
  private int followedEpoch;

  SegmentClock(Clock clock) {
    this.clock = clock;
  }

  /** The time now; {@link #NOT_STARTED} before it has begun. */
  long readMillis() {
    SegmentTime last = lastKnown;
    return last == null ? NOT_STARTED : last.millisAt(monotonicNanos());
  }

  /** The time now; it begins if it has not. */
  long startAndReadMillis() {
    SegmentTime last = lastKnown;
    if (last != null) {
      return last.millisAt(monotonicNanos());
    }
    lastKnown = new SegmentTime(0, monotonicNanos());
    return 0;
  }

  /** The time as it is known here, to go on with elsewhere. */
  SegmentTime segmentTime() {
    SegmentTime last = lastKnown;
    return last == null ? new SegmentTime(0, monotonicNanos()) : last;
  }

  /**
   * It was this when the primary of an epoch said so. If that is earlier than it seemed, the word
   * was long under way, or this node's clock runs faster: it is believed as far as clocks may
   * differ. But the first word of a primary is believed as it is: that one may have taken over with
   * an earlier time than is known here, and what it writes must not end early where it is followed.
   */
  void followPrimary(int wordEpoch, long millis) {
    long now = monotonicNanos();
    SegmentTime last = lastKnown;
    boolean first = wordEpoch > followedEpoch;
    followedEpoch = Math.max(followedEpoch, wordEpoch);
    long certain =
        first || last == null
            ? NOT_STARTED
            : last.millisAt(now) - (last.millisAt(now) - last.millis()) / DRIFT_DIVISOR;
    lastKnown = new SegmentTime(Math.max(millis, certain), now);
  }

  /** It is this at least. */
  void advanceTo(long millis) {
    if (readMillis() < millis) {
      lastKnown = new SegmentTime(millis, monotonicNanos());
    }
  }

  /** The segment is not held here any more. */
  void reset() {
    lastKnown = null;
    followedEpoch = 0;
  }

  /** A monotonic reading: the time of day may jump. */
  private long monotonicNanos() {
    return clock.nanoTime();
  }
}
