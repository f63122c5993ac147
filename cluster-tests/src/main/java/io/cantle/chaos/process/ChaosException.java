package io.cantle.chaos.process;

/**
 * The run cannot start or go on; the message says why, the status how the command ends.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ChaosException extends Exception {
  /** Something went wrong on the way. */
  public static final int FAILED_STATUS = 1;

  /** Something impossible was asked for. */
  public static final int BAD_INPUT_STATUS = 2;

  /** This machine lacks something. */
  public static final int LACKING_STATUS = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  /** A run that ends with this status. */
  public ChaosException(int status, String message) {
    super(message);
    this.status = status;
  }

  /**
   * How the command ends: {@link #FAILED_STATUS}, {@link #BAD_INPUT_STATUS} or {@link
   * #LACKING_STATUS}.
   */
  public int status() {
    return status;
  }
}
