package io.cantle.chaos.process;

/**
 * The run cannot start or go on; the message says why, the status how the command ends.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ChaosException extends Exception {
  /** Something went wrong on the way. */
  public static final int FAILED = 1;

  /** Something impossible was asked for. */
  public static final int BAD_INPUT = 2;

  /** This machine lacks something. */
  public static final int LACKING = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  /** A run that ends with this status. */
  public ChaosException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** How the command ends: {@link #FAILED}, {@link #BAD_INPUT} or {@link #LACKING}. */
  public int status() {
    return status;
  }
}
