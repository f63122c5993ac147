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

  private LincheckRun() {}

  /**
   * Runs as many scenarios as the first argument says, each with as many interleavings as the
   * second.
   */
  public static void main(String[] arguments) {
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .iterations(Integer.parseInt(arguments[0]))
            .invocationsPerIteration(Integer.parseInt(arguments[1]))
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(0)
            .actorsAfter(1)
            // More than any loop here has; the usual number would take a scan for a lock.
            .loopIterationsBeforeThreadSwitch(64)
            // A reader must not wait for the writer.
            .checkObstructionFreedom(true);
    try {
      options.check(SegmentOperations.class);
    } catch (LincheckAssertionError e) {
      IO.println(e.getMessage());
      System.exit(FOUND_STATUS);
    }
  }
}
