package io.cantle.core.transport;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A buffer for messages that arrive too early. There are two kinds: those that arrive before this
 * node is ready for any, and, while this node is in no grid yet, those of grids, one of which it
 * may be about to join.
 *
 * <p>Any peer may send such messages, in any number and of any size. Beyond the limits they are
 * dropped, as the network might; senders repeat what matters. Changes of the view are few, come
 * from this node's own transport, and are never dropped.
 *
 * <p><b>Threading:</b> any thread. The monitor is never held while a message is handled, because a
 * handler takes locks that other threads may hold when they come here.
 */
final class EarlyMessageBuffer {
  /** The most messages of each kind that are buffered. */
  static final int MAX_MESSAGES = 10_000;

  /** The most bytes that all buffered messages together may keep in memory. */
  static final long MAX_BYTES = 8 << 20;

  @GuardedBy("this")
  private final ArrayDeque<BufferedTask> beforeReady = new ArrayDeque<>();

  @GuardedBy("this")
  private final ArrayDeque<BufferedTask> beforeGrid = new ArrayDeque<>();

  @GuardedBy("this")
  private long bufferedBytes;

  private volatile boolean ready;

  /**
   * Something to be done later.
   *
   * @param bytes how much of the limit it takes up
   */
  private record BufferedTask(Runnable action, int bytes) {}

  /**
   * Buffers a message, or drops it if there is no space, if this node is not ready.
   *
   * @param bytes how many bytes are kept in memory with the message
   * @return false if this node is ready, and the message must be handled at once
   */
  boolean bufferUntilReady(int bytes, Runnable message) {
    return !ready && bufferOrDrop(bytes, message);
  }

  private synchronized boolean bufferOrDrop(int bytes, Runnable message) {
    if (ready) {
      return false;
    }
    add(beforeReady, bytes, message);
    return true;
  }

  /** Buffers a change of the view if this node is not ready; returns false if it is. */
  synchronized boolean bufferViewUntilReady(Runnable change) {
    return !ready && beforeReady.add(new BufferedTask(change, 0));
  }

  /** Adds a message to a queue if there is space; returns whether there was. */
  @GuardedBy("this")
  private boolean add(ArrayDeque<BufferedTask> queue, int bytes, Runnable message) {
    if (queue.size() >= MAX_MESSAGES || bytes > MAX_BYTES - bufferedBytes) {
      return false;
    }
    bufferedBytes += bytes;
    return queue.add(new BufferedTask(message, bytes));
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
    BufferedTask next = beforeReady.poll();
    if (next == null) {
      ready = true;
      return null;
    }
    bufferedBytes -= next.bytes;
    return next.action;
  }

  /**
   * Buffers a message of a grid if there is space and this node is in no grid.
   *
   * @param bytes how many bytes are kept in memory with the message
   */
  synchronized boolean bufferUntilInGrid(BooleanSupplier inNone, int bytes, Runnable message) {
    return inNone.getAsBoolean() && add(beforeGrid, bytes, message);
  }

  /** Handles the messages buffered for a grid, because this node has joined one. */
  void onGridJoined() {
    List<BufferedTask> messages;
    synchronized (this) {
      messages = List.copyOf(beforeGrid);
      beforeGrid.clear();
      messages.forEach(message -> bufferedBytes -= message.bytes);
    }
    messages.forEach(message -> message.action.run());
  }
}
