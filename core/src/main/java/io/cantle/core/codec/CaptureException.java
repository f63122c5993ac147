package io.cantle.core.codec;

/**
 * Thrown when a lambda captures something that cannot be sent. Building the message takes reading
 * class files, and a caller that runs the lambda locally instead never needs it. So the message is
 * built when it is requested.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CaptureException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient CapturedVariable capture;
  private final transient IllegalArgumentException reason;

  CaptureException(CapturedVariable capture, IllegalArgumentException reason) {
    super(reason);
    this.capture = capture;
    this.reason = reason;
  }

  @Override
  public String getMessage() {
    return capture.refusalMessage(String.valueOf(reason.getMessage()));
  }

  /** Serializes the exception as its text, since its classes may be missing elsewhere. */
  private Object writeReplace() {
    return new IllegalArgumentException(getMessage());
  }
}
