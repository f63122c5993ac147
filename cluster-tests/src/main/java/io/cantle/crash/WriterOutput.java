package io.cantle.crash;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a writer tells the one that started it, a line at a time, each on its way before the call
 * returns. When nobody hears any more the writer has no reason to go on.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WriterOutput {
  /** It begins to open what is there. */
  static final String OPENING = "opening";

  /** It has opened it, and begins to write. */
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
