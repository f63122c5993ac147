package io.cantle.jgroups;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Limits how many bytes of long messages may be in flight to one member. A sender that exceeds it
 * waits, in order of arrival, before JGroups and the socket copy the message. So hundreds of
 * responses made at once neither pile up in memory nor delay short messages.
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
   * @param mostNanos the longest wait in nanoseconds; after it the message is sent anyway
   * @param vain whether the member can no longer receive the message
   * @return the bytes to release when the message has left
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

  /** Releases the bytes of a message that has left. */
  void leave(int entered) {
    bytes.release(entered);
  }
}
