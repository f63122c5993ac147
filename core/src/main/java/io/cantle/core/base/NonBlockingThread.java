package io.cantle.core.base;

/**
 * Marks a thread on which the whole node depends: one that runs timers, reads connections, or runs
 * what waits for the disk. It must never wait for the network, or a single stalled member would
 * block everything else.
 *
 * <p><b>Threading:</b> any thread may ask.
 */
public interface NonBlockingThread {

  /** Whether the calling thread is such a thread. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof NonBlockingThread;
  }
}
