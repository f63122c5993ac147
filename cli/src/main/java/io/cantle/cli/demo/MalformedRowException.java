package io.cantle.cli.demo;

/** A malformed row, which is reported and left out. */
final class MalformedRowException extends Exception {
  private static final long serialVersionUID = 1;

  private final int column;

  /**
   * Creates an exception for an error at a position of a row.
   *
   * @param column the position in characters from the start of the line, counted from 1
   * @param message what the row has there and what it should have
   */
  MalformedRowException(int column, String message) {
    super(message);
    this.column = column;
  }

  int column() {
    return column;
  }
}
