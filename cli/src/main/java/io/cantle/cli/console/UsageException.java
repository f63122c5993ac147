package io.cantle.cli.console;

/**
 * The arguments ask for something impossible. The command prints the message in one line and ends
 * with exit status 2.
 */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  /** Creates an exception that says what is impossible, and what would be possible. */
  public UsageException(String message) {
    super(message);
  }
}
