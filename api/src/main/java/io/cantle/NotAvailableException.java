package io.cantle;

/**
 * Nobody may answer, for one of three reasons. This node is cut off from the majority of its grid:
 * the others may have gone on without it. Or no node of the grid has {@link GridConfig#capacity}
 * for entries. Or it is a write to a cache that is kept on disk, and the disk is full: reads go on.
 * The call has had no effect; making it again is safe, and succeeds once the node has found the
 * majority again, one with capacity has joined, or the disk has room.
 */
public final class NotAvailableException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says who is missing and what to do. */
  public NotAvailableException(String message) {
    super(message);
  }
}
