package io.cantle.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for a condition that becomes true by itself, with a deadline.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ConditionWait {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 10;

  private ConditionWait() {}

  /**
   * Returns when the condition holds.
   *
   * @param state what is shown when it never does
   * @throws AssertionError when it does not within a minute
   */
  static void until(String expectation, BooleanSupplier condition, Supplier<?> state) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            expectation
                + " did not come about within "
                + TIMEOUT.toSeconds()
                + " s: "
                + state.get());
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + expectation, e);
      }
    }
  }
}
