package io.cantle.bench;

import java.io.PrintStream;
import java.util.concurrent.Semaphore;

/**
 * The gate that says when the JVM of a round may work. A round that runs alone always may. Of two
 * rounds that run side by side, only the one whose turn it is may work. The parent process gives a
 * turn by a byte on standard input, and {@link #TURN_OVER} on standard output gives it back.
 *
 * <p><b>Threading:</b> {@link #begin} and {@link #end} by the main thread, {@link #give} by any.
 */
final class TurnGate {

  /** The line that ends a turn. */
  static final String TURN_OVER = "turn over";

  private final boolean paired;
  private final PrintStream console;
  private final Semaphore turns = new Semaphore(0);

  /**
   * Creates the gate of a round.
   *
   * @param paired whether the round takes turns with another
   * @param console what the parent process reads
   */
  TurnGate(boolean paired, PrintStream console) {
    this.paired = paired;
    this.console = console;
  }

  /** Gives the round a turn. */
  void give() {
    turns.release();
  }

  /**
   * Waits for a turn. The round ends with its parent, so the wait ends at the latest when the
   * parent does.
   */
  void begin() {
    if (paired) {
      turns.acquireUninterruptibly();
    }
  }

  /** Ends the turn. */
  void end() {
    if (paired) {
      console.println(TURN_OVER);
      console.flush();
    }
  }
}
