package io.cantle.core.transport;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A buffer for messages that arrive too early. There are two kinds: those that arrive before this
 * node is ready for any, and, while this node is in no grid yet, those of grids, one of which it
 * may be about to join.
 *
 * <p><b>Threading:</b> any thread; guarded by its monitor. The monitor is never held while a
 * message is handled, because a handler takes locks that other threads may hold when they come
 * here.
 */
final class EarlyMessageBuffer {
  /** The most messages of each kind that are buffered. */
  private static final int MAX_MESSAGES = 10_000;

  private final ArrayDeque<Runnable> beforeReady = new ArrayDeque<>();
  private final ArrayDeque<Runnable> beforeGrid = new ArrayDeque<>();
  private volatile boolean ready;

  /**
   * Buffers a message if this node is not ready; returns false if it must be handled at once.
   *
   * @throws IllegalStateException if too many messages are buffered
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
          "more than " + MAX_MESSAGES + " messages arrived before this node was ready");
    }
    beforeReady.add(message);
    return true;
  }

  /**
   * Handles the buffered messages, because this node is ready. Messages that arrive meanwhile are
   * queued behind them, so that all are handled in the order of their arrival.
   */
  void onReady() {
    for (Runnable message; (message = pollNext()) != null; ) {
      message.run();
    }
  }

  /** Returns the next message. Once there is none, messages are handled as they arrive. */
  private synchronized @Nullable Runnable pollNext() {
    Runnable message = beforeReady.poll();
    ready = message == null;
    return message;
  }

  /** Buffers a message of a grid if there is space and this node is in no grid. */
  synchronized boolean bufferUntilInGrid(BooleanSupplier inNone, Runnable message) {
    return inNone.getAsBoolean() && beforeGrid.size() < MAX_MESSAGES && beforeGrid.add(message);
  }

  /** Handles the messages buffered for a grid, because this node has joined one. */
  void onGridJoined() {
    List<Runnable> messages;
    synchronized (this) {
      messages = List.copyOf(beforeGrid);
      beforeGrid.clear();
    }
    messages.forEach(Runnable::run);
  }
}
