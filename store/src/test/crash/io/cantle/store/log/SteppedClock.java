package io.cantle.store.log;

import io.cantle.store.StoreClock;

/** A clock that advances by a microsecond each time it is read; nothing ever waits by it. */
public final class SteppedClock implements StoreClock {
  private long nanos;

  /** Creates a clock that shows 0. */
  public SteppedClock() {}

  @Override
  public long nanoTime() {
    nanos += 1000;
    return nanos;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    throw new IllegalStateException("nothing here waits");
  }
}
