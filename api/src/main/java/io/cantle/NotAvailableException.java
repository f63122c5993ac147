package io.cantle;

/**
 * This node is cut off from the majority of its grid and answers nothing, because the others may
 * have gone on without it. The call has had no effect; making it again is safe, and succeeds once
 * the node has found the majority again.
 */
public final class NotAvailableException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says who is missing and what to do. */
  public NotAvailableException(String message) {
    super(message);
  }
}
