package io.cantle;

/**
 * Every node that held a segment is gone, so its entries are too. Calls that touch the segment
 * throw this rather than answer as if it were empty.
 */
public final class SegmentLostException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says which segment of which cache was lost, and what to do. */
  public SegmentLostException(String message) {
    super(message);
  }
}
