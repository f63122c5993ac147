package io.cantle.crash;

/** The run cannot start or go on; the message says why, the status how the command ends. */
final class CrashException extends Exception {
  /** Something went wrong on the way. */
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
