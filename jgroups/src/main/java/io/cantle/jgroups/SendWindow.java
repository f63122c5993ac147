package io.cantle.jgroups;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * How much of what is long may be on its way to one member at once. Whoever wants to send more
 * waits, before JGroups and the socket keep a copy of it, in the order of coming; so hundreds of
 * answers that are made at once do not wait in memory, nor before what is short.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class SendWindow {
  static final int WINDOW_BYTES = 1 << 20;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Semaphore bytes = new Semaphore(WINDOW_BYTES, true);

  /**
   * Waits until a message may be sent.
   *
   * @param mostNanos for how long at most; then it is sent anyway
   * @param vain whether nobody will take it any more
   * @return what to give back when it has left
   */
  int enter(int length, long mostNanos, BooleanSupplier vain) {
    int its = Math.min(length, WINDOW_BYTES);
    long until = System.nanoTime() + mostNanos;
    while (!vain.getAsBoolean()) {
      long left = mostNanos == Long.MAX_VALUE ? LOOK_NANOS : until - System.nanoTime();
      if (left <= 0) {
        return 0;
      }
      try {
        if (bytes.tryAcquire(its, Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS)) {
          return its;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return 0;
      }
    }
    return 0;
  }

  /** What was sent has left. */
  void leave(int entered) {
    bytes.release(entered);
  }
}
