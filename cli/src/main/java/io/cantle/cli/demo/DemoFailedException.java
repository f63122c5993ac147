package io.cantle.cli.demo;

/** The demo failed. The command prints the message in one line and ends with exit status 1. */
final class DemoFailedException extends Exception {
  private static final long serialVersionUID = 1;

  /** Creates an exception that says which node failed at what. */
  DemoFailedException(String message) {
    super(message);
  }
}
