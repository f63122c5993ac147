package io.cantle.jgroups;

import io.cantle.core.base.PromptThread;

/**
 * A thread of the transport: it reads a connection, or runs a timer or a protocol of JGroups. Such
 * a thread must not wait for the network, because another node may be waiting for it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TransportThread extends Thread implements PromptThread {

  TransportThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }
}
