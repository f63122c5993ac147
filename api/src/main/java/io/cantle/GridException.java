package io.cantle;

/**
 * Something a grid must expect: a node gone, time run out, data lost. {@link #retrySafe} says what
 * a caller may do about it; the types say why it happened.
 */
public class GridException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what failed, on what, why, and what to do. */
  public GridException(String message) {
    super(message);
  }

  /** Says what failed, on what, why, and what to do. */
  public GridException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Whether the call has had no effect, so that making it again cannot do anything twice. Only an
   * {@link IndeterminateException} and a {@link PartialWriteException} say no.
   */
  public boolean retrySafe() {
    return true;
  }
}
