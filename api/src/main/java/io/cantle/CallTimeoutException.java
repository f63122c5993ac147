package io.cantle;

/**
 * No answer came within {@link GridConfig#timeout()}, and the call has had no effect: a read, or a
 * write that is known not to have happened. Making it again is safe.
 */
public final class CallTimeoutException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says what was waited for and how long. */
  public CallTimeoutException(String message) {
    super(message);
  }
}
