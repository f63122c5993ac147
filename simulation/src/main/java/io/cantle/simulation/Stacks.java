package io.cantle.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Stack traces as text, for the report of a violation.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Stacks {
  private Stacks() {}

  /** The trace as {@link Throwable#printStackTrace()} prints it. */
  static String of(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
