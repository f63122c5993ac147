package io.cantle;

/**
 * Thrown when no node may answer. There are three reasons. This node is cut off from the majority
 * of its grid, and the others may have gone on without it. Or no node of the grid has a {@link
 * GridConfig#capacity} for entries. Or the call writes to a cache that is kept on disk, and the
 * disk is full; reads go on. The call had no effect. Calling again is safe, and succeeds once the
 * node has found the majority again, a node with capacity has joined, or the disk has room.
 */
public final class NotAvailableException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says what is missing and what to do. */
  public NotAvailableException(String message) {
    super(message);
  }
}
