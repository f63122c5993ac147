package io.cantle.crash;

import io.cantle.store.StoreClock;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock of the machine.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SystemStoreClock implements StoreClock {
  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }
}
