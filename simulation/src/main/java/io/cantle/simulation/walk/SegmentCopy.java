package io.cantle.simulation.walk;

import java.util.BitSet;

/**
 * A node's copy of a segment: the part it takes, and the writes it has.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class SegmentCopy {

  /** The part a copy takes. */
  enum Part {
    /** Nothing is kept. */
    NONE,
    /** The copy waits in case it is needed. */
    KEEPER,
    /** The copy takes part in writes and fetches the rest. */
    JOINER,
    /** The copy holds everything. */
    OWNER
  }

  Part part = Part.NONE;

  /** The epoch it entered last. */
  int epoch;

  /** The epoch in which it began to join, or in which its segment began. */
  int since;

  /** Whether it is from an earlier incarnation and has not taken part in anything yet. */
  boolean restored;

  /** The latest epoch that a restored copy records. */
  int reached;

  /** Whether it has every write from before it began to join. */
  boolean whole;

  /** The epoch in which others have replaced it; its node may not know yet. */
  int replacedIn;

  /** Whether its node serves the epoch as primary. */
  boolean serves;

  /** The writes it has. */
  BitSet writes = new BitSet();

  /** Returns whether it counts as a copy that may be asked for what it holds. */
  boolean holds() {
    return part != Part.NONE && whole;
  }

  /** Returns whether others have replaced it in an epoch it has not entered. */
  boolean isReplaced() {
    return replacedIn > epoch;
  }

  /** Drops everything it holds. */
  void drop() {
    part = Part.NONE;
    since = 0;
    restored = false;
    reached = 0;
    whole = false;
    serves = false;
    writes = new BitSet();
  }

  /** Begins to join in an epoch. */
  void beginToJoin(int joinedSince) {
    drop();
    part = Part.JOINER;
    since = joinedSince;
  }

  /** Returns the same copy as it is on disk, for the next incarnation. */
  SegmentCopy onDisk() {
    SegmentCopy copy = new SegmentCopy();
    copy.restored = since != 0;
    copy.reached = Math.max(since, epoch);
    copy.since = since;
    copy.whole = whole;
    copy.writes = (BitSet) writes.clone();
    return copy;
  }

  @Override
  public String toString() {
    return part
        + " of epoch "
        + epoch
        + " since "
        + since
        + (whole ? ", whole, " : ", a part, ")
        + (restored ? "restored, " : "")
        + writes;
  }
}
