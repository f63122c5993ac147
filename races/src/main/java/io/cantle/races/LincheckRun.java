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

  /** More than any loop on the heap has; the usual number would take a scan for a lock. */
  private static final int MAX_SCAN_ITERATIONS = 64;

  /**
   * More than any loop off the heap has, and few enough that a reader which waits for a lock is
   * switched away from before it is taken for one that hangs.
   */
  private static final int MAX_WAITING_ITERATIONS = 24;

  private LincheckRun() {}

  /**
   * Runs as many scenarios as the first argument says, each with as many interleavings as the
   * second.
   */
  public static void main(String[] arguments) {
    boolean readersMayWait = RacedContainer.ofThisProcess().readersMayWait();
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .iterations(Integer.parseInt(arguments[0]))
            .invocationsPerIteration(Integer.parseInt(arguments[1]))
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(0)
            .actorsAfter(1)
            .loopIterationsBeforeThreadSwitch(
                readersMayWait ? MAX_WAITING_ITERATIONS : MAX_SCAN_ITERATIONS)
            .checkObstructionFreedom(!readersMayWait);
    try {
      options.check(SegmentOperations.class);
    } catch (LincheckAssertionError e) {
      IO.println(e.getMessage());
      System.exit(FOUND_STATUS);
    }
  }
}
