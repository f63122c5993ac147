package io.cantle.store.log;

import io.cantle.store.StoreClock;

/** A time that goes on by a microsecond each time it is read; nobody ever has to wait. */
final class SteppedClock implements StoreClock {
  private long nanos;

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
