package io.cantle.chaos.process;

/**
 * The exception of a run that cannot start or go on. The message says why; the status is the exit
 * status of the command.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ChaosException extends Exception {
  /** Something went wrong during the run. */
  public static final int FAILED_STATUS = 1;

  /** The arguments ask for something impossible. */
  public static final int BAD_INPUT_STATUS = 2;

  /** This machine lacks something. */
  public static final int LACKING_STATUS = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  /** Creates the exception of a run that ends with this status. */
  public ChaosException(int status, String message) {
    super(message);
    this.status = status;
  }

  /**
   * Returns the exit status: {@link #FAILED_STATUS}, {@link #BAD_INPUT_STATUS} or {@link
   * #LACKING_STATUS}.
   */
  public int status() {
    return status;
  }
}
