package io.cantle;

/**
 * Thrown when something was sent that changes entries or acts on them, and its answer never came.
 *
 * <p>A write was applied at most once, or may still be applied later. Read the key to find out, or
 * write again if writing twice does no harm.
 *
 * <p>The action of {@code forEachOnOwners} or {@code forEachWithCache} may have run for any of its
 * elements, for some of them more than once, and may still run. Call again if running it twice for
 * an element does no harm.
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

  /** False: what was asked for may have been done, and calling again may do it twice. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
