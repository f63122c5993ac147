package io.cantle.core.codec;

/**
 * Thrown inside this package when the frozen form has no place for a type. For a value that is no
 * error, it takes the other form; so the exception is cheap and has no stack.
 */
final class UnsupportedTypeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String typeName;
  private String path = "";

  UnsupportedTypeException(String typeName) {
    super(typeName, null, false, false);
    this.typeName = typeName;
  }

  /** Adds an enclosing place, from the inside out. */
  UnsupportedTypeException within(String place) {
    path = " in " + place + path;
    return this;
  }

  @Override
  public String getMessage() {
    return typeName + path;
  }
}
