package io.cantle.core.publish;

import org.jspecify.annotations.Nullable;

/**
 * What a publisher publishes to one subscriber, one after the other.
 *
 * <p><b>Threading:</b> one thread at a time; {@link #stop} by any.
 */
interface ElementFeed<T> {

  /** Waits for the next; null at the end, or when it was stopped. */
  @Nullable T next();

  /** Whether it is known, without asking or waiting, that there is no next. */
  boolean isExhausted();

  /** Has {@link #next} return soon, or throw. */
  void stop();

  /** Gives back what it holds. */
  void close();
}
