package io.cantle.jgroups;

import io.cantle.core.base.NonBlockingThread;
import java.util.function.Consumer;

/**
 * A thread of the transport, which reads a connection, or runs a timer or a protocol of JGroups.
 * Such a thread must not wait for the network, because another node may be waiting for it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TransportThread extends Thread implements NonBlockingThread {
  private final Consumer<OutOfMemoryError> outOfMemory;

  TransportThread(Runnable task, String name, Consumer<OutOfMemoryError> outOfMemory) {
    super(task, name);
    this.outOfMemory = outOfMemory;
    setDaemon(true);
  }

  /**
   * Reports when the thread dies because memory has run out: without its threads a transport is
   * useless.
   */
  @Override
  public void run() {
    try {
      super.run();
    } catch (OutOfMemoryError e) {
      outOfMemory.accept(e);
    }
  }
}
