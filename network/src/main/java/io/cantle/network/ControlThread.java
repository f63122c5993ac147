package io.cantle.network;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that changes what the transport knows of its peers: one of its event loops. What
 * other threads have to say is queued for it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ControlThread {
  private final EventExecutor executor;

  ControlThread(EventExecutor executor) {
    this.executor = executor;
  }

  /** Runs a task soon; drops it if the transport is closed. */
  void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException _) {
      // The transport is closed, and nobody is interested in its peers any more.
    }
  }

  /** Runs a task after some time, unless the transport is closed by then. */
  void schedule(long delayNanos, Runnable task) {
    try {
      var _ = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException _) {
      // As above.
    }
  }
}
