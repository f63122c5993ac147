package io.cantle;

/**
 * A write was sent and its answer never came: it was applied at most once, now, later or never.
 * Read the key to find out, or write again if writing twice does no harm.
 */
public final class IndeterminateException extends GridException {
  private static final long serialVersionUID = 1;

  /** Says which write, and why its fate is unknown. */
  public IndeterminateException(String message) {
    super(message);
  }

  /** False: the write may have happened, and would happen a second time. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
