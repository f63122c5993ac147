package io.cantle;

/**
 * Thrown when a write was sent and its answer never came. It was applied at most once, or may still
 * be applied later. Read the key to find out, or write again if writing twice does no harm.
 */
public final class IndeterminateException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says which write it was, and why its outcome is unknown. */
  public IndeterminateException(String message) {
    super(message);
  }

  /** False: the write may have happened, and calling again may apply it twice. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
