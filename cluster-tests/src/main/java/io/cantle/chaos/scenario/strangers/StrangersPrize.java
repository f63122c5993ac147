package io.cantle.chaos.scenario.strangers;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a stranger would like a node to make: it counts when it is. Its counter is elsewhere, so
 * that looking at it makes nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class StrangersPrize implements Serializable {
  private static final long serialVersionUID = 7;

  static {
    Counter.MADE.incrementAndGet();
  }

  /** Counts the making. */
  public StrangersPrize() {
    Counter.MADE.incrementAndGet();
  }

  private Object readResolve() {
    Counter.MADE.incrementAndGet();
    return this;
  }

  /** Counts prizes made in this process. */
  static final class Counter {
    static final AtomicLong MADE = new AtomicLong();

    private Counter() {}
  }
}
