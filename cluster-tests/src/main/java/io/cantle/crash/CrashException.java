package io.cantle.crash;

/**
 * The exception of a run that cannot start or go on. The message says why; the status is the exit
 * status of the command.
 */
final class CrashException extends Exception {
  /** Something went wrong during the run. */
  static final int FAILED_STATUS = 1;

  /** This machine lacks something. */
  static final int LACKING_STATUS = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  CrashException(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
