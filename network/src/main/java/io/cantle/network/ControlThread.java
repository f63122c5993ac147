package io.cantle.network;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The one thread that changes what the transport knows of its peers: one of its event loops. What
 * other threads have to say is queued for it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ControlThread {
  private final EventExecutor executor;
  private final Consumer<Throwable> failures;

  /**
   * Takes the thread of an executor.
   *
   * @param failures takes what tasks have thrown, on that thread
   */
  ControlThread(EventExecutor executor, Consumer<Throwable> failures) {
    this.executor = executor;
    this.failures = failures;
  }

  /** Runs a task soon; drops it if the transport is closed. */
  void execute(Runnable task) {
    try {
      executor.execute(() -> run(task));
    } catch (RejectedExecutionException _) {
      // The transport is closed, and nobody is interested in its peers any more.
    }
  }

  /** Runs a task after some time, unless the transport is closed by then. */
  void schedule(long delayNanos, Runnable task) {
    try {
      var _ = executor.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException _) {
      // As above.
    }
  }

  /** Runs a task each time such a period has passed, whatever becomes of it. */
  void repeat(long periodNanos, Runnable task) {
    schedule(
        periodNanos,
        () -> {
          repeat(periodNanos, task);
          task.run();
        });
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      // The library would log it, which is no answer to want of memory.
      failures.accept(e);
    }
  }
}
