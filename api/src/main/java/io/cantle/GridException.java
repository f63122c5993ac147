package io.cantle;

/**
 * Something a grid must expect: a node gone, time run out, data lost. Unless the type says
 * otherwise a write that failed with it has not happened and may be tried again.
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
}
