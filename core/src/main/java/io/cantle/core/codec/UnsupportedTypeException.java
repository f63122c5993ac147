package io.cantle.core.codec;

/**
 * Thrown inside this package when a type has no frozen format. For a value that is not an error,
 * since it uses the other format. So the exception is cheap and has no stack trace.
 */
final class UnsupportedTypeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String typeName;
  private String path = "";

  UnsupportedTypeException(String typeName) {
    super(typeName, null, false, false);
    this.typeName = typeName;
  }

  /** Adds an enclosing position, from the inside out. */
  UnsupportedTypeException within(String place) {
    path = " in " + place + path;
    return this;
  }

  @Override
  public String getMessage() {
    return typeName + path;
  }
}
