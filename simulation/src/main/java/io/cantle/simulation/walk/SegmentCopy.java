package io.cantle.simulation.walk;

import java.util.BitSet;

/**
 * A node's copy of a segment: which part it takes, and which writes it has.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class SegmentCopy {

  /** What a copy is for. */
  enum Part {
    /** Nothing is kept. */
    NONE,
    /** It waits in case it is needed. */
    KEEPER,
    /** It takes part in writes and fetches the rest. */
    JOINER,
    /** It holds everything. */
    OWNER
  }

  Part part = Part.NONE;

  /** The epoch entered last. */
  int epoch;

  /** The epoch in which it began to join, or in which its segment began. */
  int since;

  /** Whether it is from an earlier life and has taken part in nothing yet. */
  boolean restored;

  /** The latest epoch a restored copy tells of. */
  int reached;

  /** Whether it has every write from before it began to join. */
  boolean whole;

  /** The epoch in which others have taken its place; its node may not know yet. */
  int replacedIn;

  /** Whether its node serves the epoch, as primary. */
  boolean serves;

  /** The writes it has. */
  BitSet writes = new BitSet();

  /** Whether it counts as one that may be asked for what it holds. */
  boolean holds() {
    return part != Part.NONE && whole;
  }

  /** Whether others have taken its place in an epoch it has not entered. */
  boolean isReplaced() {
    return replacedIn > epoch;
  }

  /** Nothing is held any more. */
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

  /** The same on disk, for the next life. */
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
