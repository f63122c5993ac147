package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A copy's idea of the time of its segment, in milliseconds. It begins at 0 when a first entry with
 * an end is written, and goes on with the node's monotonic clock. The primary's is the true one:
 * others follow whatever it sends and are behind it by what that takes, never ahead but by how much
 * faster their clocks run since.
 *
 * <p><b>Threading:</b> any thread reads; written guarded by the lock of the replica.
 */
final class SegmentClock {
  /** What is told of one that has not begun. */
  static final long NOT_BEGUN = -1;

  private final Clock clock;
  private volatile @Nullable SegmentTime known;

  SegmentClock(Clock clock) {
    this.clock = clock;
  }

  /** The time now; {@link #NOT_BEGUN} before it has begun. */
  long readMillis() {
    SegmentTime last = known;
    return last == null ? NOT_BEGUN : last.at(clock.nanoTime());
  }

  /** The time now; it begins if it has not. */
  long nowMillis() {
    SegmentTime last = known;
    if (last != null) {
      return last.at(clock.nanoTime());
    }
    follow(0);
    return 0;
  }

  /** The time as it is known here, to go on with elsewhere. */
  SegmentTime time() {
    SegmentTime last = known;
    return last == null ? new SegmentTime(0, clock.nanoTime()) : last;
  }

  /** It is this now, as the primary says, be that later or earlier than it seemed. */
  void follow(long millis) {
    known = new SegmentTime(millis, clock.nanoTime());
  }

  /** It is this at least. */
  void notBefore(long millis) {
    if (readMillis() < millis) {
      follow(millis);
    }
  }

  /** The segment is not held here any more. */
  void forget() {
    known = null;
  }
}
