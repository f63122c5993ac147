package io.cantle.races;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * The program of a process that has Lincheck look for a wrong interleaving. It ends with 0 if there
 * is none, and with {@link #FOUND_STATUS} after it has printed one.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LincheckRun {
  /** How the process ends if it has found something. */
  static final int FOUND_STATUS = 3;

  /** More than any loop of a scan has; the usual number would take it for a lock. */
  private static final int MAX_SCAN_ITERATIONS = 64;

  /**
   * How many iterations in all a loop may have. It must be more than after which a thread is
   * switched away from, or else a reader that waits for a lock is taken for one that hangs before
   * the writer has had its turn.
   */
  private static final int MAX_ITERATIONS = 32 * MAX_SCAN_ITERATIONS;

  private LincheckRun() {}

  /**
   * Runs as many scenarios as the first argument says, each with as many interleavings as the
   * second.
   */
  public static void main(String[] arguments) {
    RacedContainer kind = RacedContainer.ofThisProcess();
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .iterations(Integer.parseInt(arguments[0]))
            .invocationsPerIteration(Integer.parseInt(arguments[1]))
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(0)
            .actorsAfter(1)
            .loopIterationsBeforeThreadSwitch(MAX_SCAN_ITERATIONS)
            .loopBound(MAX_ITERATIONS)
            .checkObstructionFreedom(!kind.readersMayWait());
    try {
      options.check(kind.operations());
    } catch (LincheckAssertionError e) {
      IO.println(e.getMessage());
      System.exit(FOUND_STATUS);
    }
  }
}
