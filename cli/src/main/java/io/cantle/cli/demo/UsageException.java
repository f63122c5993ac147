package io.cantle.cli.demo;

/** Somebody asked for what is not possible: one line, exit status 2. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  /** Says what cannot be, and what could. */
  UsageException(String message) {
    super(message);
  }
}
