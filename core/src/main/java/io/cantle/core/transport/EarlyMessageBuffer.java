package io.cantle.core.transport;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages that come too early: before this node is ready for any, and, while it is in no grid yet,
 * those of grids, one of which it may be about to join.
 *
 * <p><b>Threading:</b> any thread; guarded by its monitor, which is never held while a message is
 * handled, for a handler takes locks under which others come here.
 */
final class EarlyMessageBuffer {
  /** How many messages of each kind are kept. */
  private static final int MAX_MESSAGES = 10_000;

  private final ArrayDeque<Runnable> beforeReady = new ArrayDeque<>();
  private final ArrayDeque<Runnable> beforeGrid = new ArrayDeque<>();
  private volatile boolean ready;

  /**
   * Keeps a message if this node is not ready; false if it is to be handled at once.
   *
   * @throws IllegalStateException if there are too many
   */
  boolean bufferUntilReady(Runnable message) {
    return !ready && buffer(message);
  }

  private synchronized boolean buffer(Runnable message) {
    if (ready) {
      return false;
    }
    if (beforeReady.size() >= MAX_MESSAGES) {
      throw new IllegalStateException(
          "more than " + MAX_MESSAGES + " messages came before this node was ready");
    }
    beforeReady.add(message);
    return true;
  }

  /**
   * This node is ready: handles what was kept. What comes meanwhile queues up behind, so that all
   * is handled in the order in which it came.
   */
  void onReady() {
    for (Runnable message; (message = pollNext()) != null; ) {
      message.run();
    }
  }

  /** The next one; from the moment there is none messages are handled as they come. */
  private synchronized @Nullable Runnable pollNext() {
    Runnable message = beforeReady.poll();
    ready = message == null;
    return message;
  }

  /** Keeps a message of a grid, if there is room, as long as this node is in none. */
  synchronized boolean bufferUntilInGrid(BooleanSupplier inNone, Runnable message) {
    return inNone.getAsBoolean() && beforeGrid.size() < MAX_MESSAGES && beforeGrid.add(message);
  }

  /** This node is in a grid: handles what was kept for it. */
  void onGridJoined() {
    List<Runnable> messages;
    synchronized (this) {
      messages = List.copyOf(beforeGrid);
      beforeGrid.clear();
    }
    messages.forEach(Runnable::run);
  }
}
