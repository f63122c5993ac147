package io.cantle.core.node;

import io.cantle.core.base.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Logs what a node sees that waits to be admitted. Otherwise a join that takes long looks like one
 * that hangs. The first line comes after three seconds, and each of the following after twice that
 * time.
 *
 * <p><b>Threading:</b> the thread that joins.
 */
final class JoinProgressLogger {
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Clock clock;
  private final long beganNanos;
  private final long timeoutNanos;
  private final Supplier<String> description;
  private final Consumer<String> log;
  private long nextNanos = FIRST_NANOS;

  /**
   * Creates a logger of a join.
   *
   * @param beganNanos a reading of the clock when the join began
   * @param timeoutNanos how long the node waits in all
   * @param description says that the node waits, and what it sees
   */
  JoinProgressLogger(
      Clock clock,
      long beganNanos,
      long timeoutNanos,
      Supplier<String> description,
      Consumer<String> log) {
    this.clock = clock;
    this.beganNanos = beganNanos;
    this.timeoutNanos = timeoutNanos;
    this.description = description;
    this.log = log;
  }

  /** Logs what the node sees if that is due; called again and again. */
  void run() {
    long waitedNanos = clock.nanoTime() - beganNanos;
    if (waitedNanos >= nextNanos) {
      while (waitedNanos >= nextNanos) {
        nextNanos *= 2;
      }
      log.accept(
          "%s; it waits for %,d ms more at most (GridConfig.timeout)"
              .formatted(
                  description.get(),
                  TimeUnit.NANOSECONDS.toMillis(Math.max(0, timeoutNanos - waitedNanos))));
    }
  }
}
