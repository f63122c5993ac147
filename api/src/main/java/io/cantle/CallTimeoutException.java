package io.cantle;

/**
 * Thrown when no answer came within {@link GridConfig#timeout} and the call had no effect: it was a
 * read, or a write that is known not to have happened. Calling again is safe.
 */
public final class CallTimeoutException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says what was waited for and how long. */
  public CallTimeoutException(String message) {
    super(message);
  }
}
