package io.cantle;

/**
 * A read, or a write that is known not to have happened, found no answer within {@link
 * GridConfig#timeout()}. Trying again is safe.
 */
public final class GridTimeoutException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says what was waited for and how long. */
  public GridTimeoutException(String message) {
    super(message);
  }
}
