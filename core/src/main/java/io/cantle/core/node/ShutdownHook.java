package io.cantle.core.node;

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
  /** The thread that the JVM runs; null while the hook is not installed. */
  volatile @Nullable Thread thread;

  /** Creates a hook that is not installed. */
  public ShutdownHook() {}

  /** Has the grid closed when the JVM ends; does nothing if it is ending already. */
  public void install(NodeGrid grid) {
    Thread closing = new Thread(grid::close, "cantle-" + grid.nodeName() + "-shutdown");
    thread = closing;
    try {
      Runtime.getRuntime().addShutdownHook(closing);
    } catch (IllegalStateException e) {
      // The JVM is ending. Its hooks have begun, and none can be added.
      thread = null;
    }
  }

  /** Removes the hook, of a grid that is closed. */
  public void remove() {
    Thread closing = thread;
    thread = null;
    if (closing != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(closing);
      } catch (IllegalStateException e) {
        // The JVM is ending: this hook is what closes the grid, or waits for that.
      }
    }
  }
}
