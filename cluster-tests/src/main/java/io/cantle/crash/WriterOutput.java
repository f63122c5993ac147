package io.cantle.crash;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The reports of a writer to the process that started it, one line each. Each line is sent before
 * the call returns. When nobody reads any more, the writer has no reason to go on.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WriterOutput {
  /** The writer begins to open existing files. */
  static final String OPENING = "opening";

  /** The writer has opened them, and begins to write. */
  static final String OPENED = "opened";

  /** Something failed for good. */
  static final char FAILED = 'f';

  /** A write begins. */
  static final char BEGUN = 'b';

  /** A write was acknowledged. */
  static final char ACKED = 'a';

  private final OutputStream out;

  WriterOutput(OutputStream out) {
    this.out = out;
  }

  void writeLine(String text) {
    byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (out) {
      try {
        out.write(bytes);
        out.flush();
      } catch (IOException _) {
        Runtime.getRuntime().halt(1);
      }
    }
  }

  void writeLine(char what, long first, long second) {
    writeLine(what + " " + first + " " + second);
  }
}
