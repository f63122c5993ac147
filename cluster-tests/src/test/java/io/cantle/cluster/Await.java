package io.cantle.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what comes by itself, and no longer than a deadline.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_MILLIS = 10;

  private Await() {}

  /**
   * Returns when the condition holds.
   *
   * @param state what is shown when it never does
   * @throws AssertionError when it does not within a minute
   */
  static void until(String what, BooleanSupplier condition, Supplier<?> state) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            what + " did not come about within " + PATIENCE.toSeconds() + " s: " + state.get());
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + what, e);
      }
    }
  }
}
