package io.cantle.core.scan;

/**
 * The status codes in an owner's answer to a scan request, as they are on the wire: first one of
 * the whole request, then one of each segment. A segment that the answer does not name was not
 * started.
 *
 * <p><b>Threading:</b> constants.
 */
final class ScanStatus {

  // Status codes of a request.

  /** Nothing counts: the request was not started, or the owner may no longer answer. */
  static final int REFUSED = 0;

  /** What follows counts. */
  static final int OK = 1;

  /** A function threw; the name of the node and the exception follow. */
  static final int FAILED = 2;

  /**
   * The owner's lease ended: what follows counts only where counting an entry twice does no harm.
   */
  static final int LEASE_LOST = 3;

  /**
   * The result for a single entry is longer than a message; the name of the node and the limit
   * follow.
   */
  static final int TOO_LONG = 4;

  /** The owner cannot decode the request; the name of the node and the reason follow. */
  static final int UNREADABLE = 5;

  // Status codes of a segment.

  /** What was read of the segment does not count: the segment changed its epoch meanwhile. */
  static final int LOST = 0;

  /** The segment was read to its end. */
  static final int DONE = 1;

  /** There is more after the cursor that follows. */
  static final int MORE = 2;

  /** There is more after the cursor that follows, and only the primary can read it. */
  static final int DIRTY = 3;

  /** The segment was not started: another node has to read it. */
  static final int ABSENT = 4;

  /**
   * There is more after the cursor that follows. A number before the cursor says how many bytes the
   * next entry takes: more than all that the request asked for.
   */
  static final int OVERSIZED = 5;

  /** No more of the segment is needed, though it was not read to its end, if at all. */
  static final int ENOUGH = 6;

  /**
   * Another block of the same segment follows, which starts after the cursor that follows. Elements
   * come in small blocks, so that unread ones can be dropped and requested again. The final status
   * of the segment is sent once, after its last block.
   */
  static final int BLOCK_ENDS = 7;

  /** Whether a cursor follows the status, after the number of {@link #OVERSIZED}. */
  static boolean hasCursor(int status) {
    return status == MORE || status == DIRTY || status == OVERSIZED || status == BLOCK_ENDS;
  }

  private ScanStatus() {}
}
