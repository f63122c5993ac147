package io.cantle.core.base;

/**
 * Marks a thread that others wait for: one that runs timers or reads connections. It must never
 * wait for the network, or one member that stands still holds up everybody.
 *
 * <p><b>Threading:</b> any thread asks.
 */
public interface NonBlockingThread {

  /** Whether the calling thread is one. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof NonBlockingThread;
  }
}
