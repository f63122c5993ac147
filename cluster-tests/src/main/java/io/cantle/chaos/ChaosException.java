package io.cantle.chaos;

/** The run cannot start or go on; the message says why, the status how the command ends. */
final class ChaosException extends Exception {
  /** Something went wrong on the way. */
  static final int FAILED = 1;

  /** Something impossible was asked for. */
  static final int BAD_INPUT = 2;

  /** This machine lacks something. */
  static final int LACKING = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  ChaosException(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
