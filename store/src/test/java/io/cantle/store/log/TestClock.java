package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.util.concurrent.locks.LockSupport;

/** Real time, for tests with real threads. */
final class TestClock implements StoreClock {
  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }
}
