package io.cantle.cli.demo;

/** The demo broke off: one line, exit status 1. */
final class DemoFailedException extends Exception {
  private static final long serialVersionUID = 1;

  /** Says which node failed at what. */
  DemoFailedException(String message) {
    super(message);
  }
}
