package io.cantle.core.codec;

/**
 * Thrown when a lambda captures what cannot be sent. The message takes some reading in class files,
 * and who runs the lambda here instead never asks for it; so it is made when it is asked for.
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

  /** What is left of it where the classes are not: its words. */
  private Object writeReplace() {
    return new IllegalArgumentException(getMessage());
  }
}
