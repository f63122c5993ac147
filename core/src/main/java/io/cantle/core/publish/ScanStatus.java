package io.cantle.core.publish;

/**
 * How what was asked of an owner ended, as it is on the wire: first of the whole request, then of
 * each segment. Segments that are not named were not begun.
 *
 * <p><b>Threading:</b> constants.
 */
final class ScanStatus {

  // Of a request.

  /** Nothing counts: it was not begun, or the owner may not speak any more. */
  static final int REFUSED = 0;

  /** What follows counts. */
  static final int OK = 1;

  /** Something threw; who and what follows. */
  static final int FAILED = 2;

  /** The owner may not speak any more: what follows counts where once too often is no harm. */
  static final int LEASE_LOST = 3;

  /** What is made of a single entry is longer than a message; who says so and the limit follow. */
  static final int TOO_LONG = 4;

  // Of a segment.

  /** What was read of it does not count: it moved on meanwhile. */
  static final int LOST = 0;

  /** It was read to its end. */
  static final int DONE = 1;

  /** There is more behind the cursor that follows. */
  static final int MORE = 2;

  /** There is more behind the cursor that follows, and only the primary can tell it. */
  static final int DIRTY = 3;

  /** It was not begun: another one has to tell it. */
  static final int ABSENT = 4;

  /**
   * There is more behind the cursor that follows. A number before it says how many bytes the next
   * entry takes: more than all that was asked for.
   */
  static final int OVERSIZED = 5;

  /** No more of it is wanted, though it was not read to its end, if at all. */
  static final int ENOUGH = 6;

  /**
   * More of the same segment follows, behind the cursor that follows: elements come in small
   * blocks, so that those that were not read can be dropped and asked for again. How the segment
   * ended is said once, behind its last block.
   */
  static final int BLOCK_ENDS = 7;

  /** Whether a place where to go on follows, behind the number of {@link #OVERSIZED}. */
  static boolean hasCursor(int outcome) {
    return outcome == MORE || outcome == DIRTY || outcome == OVERSIZED || outcome == BLOCK_ENDS;
  }

  private ScanStatus() {}
}
