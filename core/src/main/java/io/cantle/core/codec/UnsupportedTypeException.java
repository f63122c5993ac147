package io.cantle.core.codec;

/**
 * Thrown inside this package when the frozen form has no place for a type. For a value that is no
 * error, it takes the other form; so the exception is cheap and has no stack.
 */
final class UnsupportedTypeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String what;
  private String where = "";

  UnsupportedTypeException(String what) {
    super(what, null, false, false);
    this.what = what;
  }

  /** Adds an enclosing place, from the inside out. */
  UnsupportedTypeException within(String place) {
    where = " in " + place + where;
    return this;
  }

  @Override
  public String getMessage() {
    return what + where;
  }
}
