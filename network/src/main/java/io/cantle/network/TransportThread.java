package io.cantle.network;

import io.cantle.core.base.NonBlockingThread;
import io.netty.util.concurrent.FastThreadLocalThread;

/**
 * A thread of the transport, which runs an event loop. Such a thread must not wait for the network,
 * because it is the one that reads it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TransportThread extends FastThreadLocalThread implements NonBlockingThread {
  TransportThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }
}
