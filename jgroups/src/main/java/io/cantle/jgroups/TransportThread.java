package io.cantle.jgroups;

/**
 * A thread of the transport: it reads a connection, or runs a timer or a protocol of JGroups. Such
 * a thread must not wait for the network, because another node may be waiting for it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TransportThread extends Thread {

  TransportThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }

  /** Whether the calling thread is one that must not wait. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof TransportThread;
  }
}
