package io.cantle.cli.demo;

/** A row that says nothing; it is reported and left out. */
final class MalformedRowException extends Exception {
  private static final long serialVersionUID = 1;

  private final int column;

  /**
   * A row is wrong at a place.
   *
   * @param column in characters from the start of the line, counted from 1
   * @param message what stands there and what should
   */
  MalformedRowException(int column, String message) {
    super(message);
    this.column = column;
  }

  int column() {
    return column;
  }
}
