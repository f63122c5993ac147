package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Closes a grid when the JVM is told to end, so that its node leaves instead of being lost. The JVM
 * waits for that.
 *
 * <p>The JVM runs all hooks at once. That of {@code java.util.logging} takes its handlers away, so
 * what a node logs while it leaves may not be seen.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ShutdownHook {
  private final ReentrantLock lock = new ReentrantLock();

  /** The thread that the JVM runs; null while the hook is not installed. */
  @GuardedBy("lock")
  private @Nullable Thread thread;

  /** Whether the grid is closed. A node may fail, and be closed, before its hook is installed. */
  @GuardedBy("lock")
  private boolean removed;

  /** Creates a hook that is not installed. */
  public ShutdownHook() {}

  /**
   * Has the grid closed when the JVM ends; does nothing if it is ending already, or the hook was
   * removed.
   */
  public void install(NodeGrid grid) {
    Thread closing = new Thread(grid::close, "cantle-" + grid.nodeName() + "-shutdown");
    lock.lock();
    try {
      if (!removed) {
        Runtime.getRuntime().addShutdownHook(closing);
        thread = closing;
      }
    } catch (IllegalStateException e) {
      // The JVM is ending. Its hooks have begun, and none can be added.
    } finally {
      lock.unlock();
    }
  }

  /** The thread that the JVM runs; null while the hook is not installed. */
  @Nullable Thread thread() {
    lock.lock();
    try {
      return thread;
    } finally {
      lock.unlock();
    }
  }

  /** Removes the hook, of a grid that is closed. */
  public void remove() {
    lock.lock();
    try {
      removed = true;
      if (thread != null) {
        Runtime.getRuntime().removeShutdownHook(thread);
        thread = null;
      }
    } catch (IllegalStateException e) {
      // The JVM is ending: this hook is what closes the grid, or waits for that.
    } finally {
      lock.unlock();
    }
  }
}
