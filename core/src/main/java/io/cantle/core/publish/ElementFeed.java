package io.cantle.core.publish;

import org.jspecify.annotations.Nullable;

/**
 * The source of the elements that a publisher sends to one subscriber, one after the other.
 *
 * <p><b>Threading:</b> one thread at a time; {@link #stop} by any.
 */
interface ElementFeed<T> {

  /** Waits for the next element; null at the end, or after {@link #stop}. */
  @Nullable T next();

  /** Whether it is known, without a request or a wait, that no element is left. */
  boolean isExhausted();

  /** Makes {@link #next} return soon, or throw. */
  void stop();

  /** Releases everything it holds. */
  void close();
}
