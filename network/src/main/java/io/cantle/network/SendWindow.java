package io.cantle.network;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many bytes of long messages may be in flight to one member. A sender that exceeds it
 * waits, in order of arrival, before the message is copied for the socket. So hundreds of responses
 * made at once neither pile up in memory nor delay short messages.
 *
 * <p>Nothing here asks whether the member is still there. The connection of a member that leaves is
 * closed. That ends the sends in flight, and each of them lets in those that wait.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class SendWindow {
  static final int WINDOW_BYTES = 1 << 20;

  private final Semaphore freeBytes = new Semaphore(WINDOW_BYTES, true);

  /**
   * Waits until a message may be sent.
   *
   * @param maxWaitNanos the longest wait in nanoseconds; after it the message is sent anyway
   * @return the bytes to release when the message has left
   */
  int enter(int length, long maxWaitNanos) {
    int wanted = Math.min(length, WINDOW_BYTES);
    try {
      return freeBytes.tryAcquire(wanted, maxWaitNanos, TimeUnit.NANOSECONDS) ? wanted : 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  /** Releases the bytes of a message that has left. */
  void leave(int entered) {
    freeBytes.release(entered);
  }

  /** How many senders wait. */
  int waitingCount() {
    return freeBytes.getQueueLength();
  }
}
