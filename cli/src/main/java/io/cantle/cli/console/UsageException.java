package io.cantle.cli.console;

/** Somebody asked for what is not possible: one line, exit status 2. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  /** Says what cannot be, and what could. */
  public UsageException(String message) {
    super(message);
  }
}
