package io.cantle;

/**
 * Thrown when every node that held a segment is gone. Calls that touch the segment throw this,
 * rather than answer as if it were empty, until a node that held it returns or {@link
 * Grid#acceptLoss} gives its entries up. The call had no effect.
 */
public final class SegmentLostException extends GridException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception whose message says which segment of which cache was lost, and what to do.
   */
  public SegmentLostException(String message) {
    super(message);
  }
}
