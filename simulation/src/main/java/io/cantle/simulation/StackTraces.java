package io.cantle.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Stack traces as text, for the report of a violation.
 *
 * <p><b>Threading:</b> any thread.
 */
final class StackTraces {
  private StackTraces() {}

  /** Returns the trace as {@link Throwable#printStackTrace()} prints it. */
  static String format(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
