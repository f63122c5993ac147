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
  static final long NOT_BEGUN = -1;

  /** Clocks of two nodes differ by less than this part of the time that passes. */
  private static final int DRIFT = 64;

  private final Clock clock;
  private volatile @Nullable SegmentTime known;

  /** Whose primary was followed last. */
  private int epoch;

  SegmentClock(Clock clock) {
    this.clock = clock;
  }

  /** The time now; {@link #NOT_BEGUN} before it has begun. */
  long readMillis() {
    SegmentTime last = known;
    return last == null ? NOT_BEGUN : last.at(nanos());
  }

  /** The time now; it begins if it has not. */
  long nowMillis() {
    SegmentTime last = known;
    if (last != null) {
      return last.at(nanos());
    }
    known = new SegmentTime(0, nanos());
    return 0;
  }

  /** The time as it is known here, to go on with elsewhere. */
  SegmentTime time() {
    SegmentTime last = known;
    return last == null ? new SegmentTime(0, nanos()) : last;
  }

  /**
   * It was this when the primary of an epoch said so. If that is earlier than it seemed, the word
   * was long under way, or this node's clock runs faster: it is believed as far as clocks may
   * differ. But the first word of a primary is believed as it is: that one may have taken over with
   * an earlier time than is known here, and what it writes must not end early where it is followed.
   */
  void follow(int wordEpoch, long millis) {
    long now = nanos();
    SegmentTime last = known;
    boolean first = wordEpoch > epoch;
    epoch = Math.max(epoch, wordEpoch);
    long certain =
        first || last == null ? NOT_BEGUN : last.at(now) - (last.at(now) - last.millis()) / DRIFT;
    known = new SegmentTime(Math.max(millis, certain), now);
  }

  /** It is this at least. */
  void notBefore(long millis) {
    if (readMillis() < millis) {
      known = new SegmentTime(millis, nanos());
    }
  }

  /** The segment is not held here any more. */
  void forget() {
    known = null;
    epoch = 0;
  }

  /** A monotonic reading: the time of day may jump. */
  private long nanos() {
    return clock.nanoTime();
  }
}
