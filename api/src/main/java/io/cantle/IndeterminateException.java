package io.cantle;

/**
 * Thrown when a write was sent and its answer never came. It was applied at most once, or may still
 * be applied later. Read the key to find out, or write again if writing twice does no harm.
 *
 * <p>Thrown by {@code forEachOnOwners} and {@code forEachWithCache} too, if the call cannot end:
 * the action may have run for some elements.
 */
public final class IndeterminateException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says which write it was, and why its outcome is unknown. */
  public IndeterminateException(String message) {
    super(message);
  }

  /** Makes an exception whose message says which action it was, and what ended the call. */
  public IndeterminateException(String message, Throwable cause) {
    super(message, cause);
  }

  /** False: the write may have happened, and calling again may apply it twice. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
