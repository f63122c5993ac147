package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Version;
import io.cantle.core.segment.SegmentTime;
import org.jspecify.annotations.Nullable;

/**
 * A replica's view of the time of its segment, in milliseconds. It starts at 0 when the first
 * expiring entry is written, and advances with the node's monotonic clock. The primary's time is
 * authoritative. Others follow the times it sends. They lag by the time a message takes, and lead
 * by no more than their clocks have run faster since.
 *
 * <p>A message may take long, and a follower cannot tell that from a suspension of the primary's
 * machine. So it also knows the latest time that the primary may have reached, which a late message
 * does not set back. An entry that has expired by then is left to the primary.
 *
 * <p><b>Threading:</b> any thread reads; writes are guarded by the lock of the replica.
 */
final class SegmentClock {
  /** The time of a clock that has not started. */
  static final long NOT_STARTED = -1;

  /** Clocks of two nodes differ by less than this fraction of the elapsed time. */
  private static final int DRIFT_DIVISOR = 64;

  private final Clock clock;
  private volatile @Nullable SegmentTime lastKnown;

  /** The latest time that the primary may have reached, never before the one last known. */
  private volatile @Nullable SegmentTime latestPossible;

  /** The epoch of the primary that was followed last. */
  private int followedEpoch;

  /** The last write that told the time and was applied here. */
  private Version lastWrite = Version.NONE;

  SegmentClock(Clock clock) {
    this.clock = clock;
  }

  /** The time now; {@link #NOT_STARTED} if the clock has not started. */
  long readMillis() {
    SegmentTime last = lastKnown;
    return last == null ? NOT_STARTED : last.millisAt(monotonicNanos());
  }

  /** The latest time that the primary may have reached. */
  long maxMillis() {
    SegmentTime latest = latestPossible;
    return latest == null ? NOT_STARTED : latest.millisAt(monotonicNanos());
  }

  /** The time now; starts the clock if it has not started. */
  long startAndReadMillis() {
    SegmentTime last = lastKnown;
    if (last != null) {
      return last.millisAt(monotonicNanos());
    }
    advanceTo(0);
    return 0;
  }

  /** The present time as it is known here, to continue from elsewhere. */
  SegmentTime segmentTime() {
    SegmentTime last = lastKnown;
    return last == null ? new SegmentTime(0, monotonicNanos()) : last;
  }

  /**
   * Follows the time that the primary of an epoch gave to a write, when the write is applied. It is
   * taken as it is, also when it is earlier than the time here: the message was slow, this node's
   * clock runs faster, or the primary's machine was suspended and its clock stood still meanwhile.
   * What the primary writes must not expire early at a follower that becomes primary. It may expire
   * late there, by as long as its last write was under way.
   *
   * <p>A write of an earlier epoch comes from another member's log, perhaps long after it was made.
   * The clock then goes back only as far as clocks may differ.
   */
  void followPrimary(int primaryEpoch, long millis) {
    SegmentTime reported = new SegmentTime(millis, monotonicNanos());
    latestPossible = notBefore(latestPossible, reported);
    lastKnown = primaryEpoch >= followedEpoch ? reported : notBefore(lastKnown, reported);
    followedEpoch = Math.max(followedEpoch, primaryEpoch);
  }

  /** Notes a write that was applied here. */
  void onApplied(OrderedWrite write) {
    if (write.segmentMillis() >= 0) {
      lastWrite = write.version();
    }
  }

  /** The last write that told the time and was applied here. */
  Version lastWrite() {
    return lastWrite;
  }

  /**
   * Takes the time of a member that has applied this last write. A write of a scattered segment
   * goes to one holder only. The others may have followed an earlier time of the primary, too fast
   * if its machine was suspended since. So the time counts that came with the latest write, and the
   * latest of several with that.
   */
  void collect(Version write, long millis) {
    int order = Version.compare(write.epoch(), write.index(), lastWrite.epoch(), lastWrite.index());
    if (order > 0) {
      lastWrite = write;
      followPrimary(write.epoch(), millis);
    } else if (order == 0) {
      advanceTo(millis);
    }
  }

  /** A reported time, or the time known before less the most that clocks may differ since then. */
  private static SegmentTime notBefore(@Nullable SegmentTime known, SegmentTime reported) {
    if (known == null) {
      return reported;
    }
    long now = reported.atNanos();
    long knownMillis = known.millisAt(now);
    long earliest = knownMillis - (knownMillis - known.millis()) / DRIFT_DIVISOR;
    return reported.millis() >= earliest ? reported : new SegmentTime(earliest, now);
  }

  /** Advances the clock to at least this time. */
  void advanceTo(long millis) {
    if (readMillis() < millis) {
      followPrimary(followedEpoch, millis);
    }
  }

  /** Takes the time known here as the primary's, because this replica becomes the primary. */
  void becomeAuthority() {
    latestPossible = lastKnown;
  }

  /** Resets the clock when the segment is no longer held here. */
  void reset() {
    lastKnown = null;
    latestPossible = null;
    followedEpoch = 0;
    lastWrite = Version.NONE;
  }

  /** A monotonic reading, because the time of day may jump. */
  private long monotonicNanos() {
    return clock.nanoTime();
  }
}
