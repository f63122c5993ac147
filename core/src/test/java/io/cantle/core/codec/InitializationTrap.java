package io.cantle.core.codec;

import java.util.concurrent.atomic.AtomicInteger;

/** A class that tells when it is initialised; only ever named in bytes. */
record InitializationTrap(int number) {
  static {
    TriggerCount.COUNT.incrementAndGet();
  }

  /** Holds the count, since to ask {@code Trap} would spring it. */
  static final class TriggerCount {
    static final AtomicInteger COUNT = new AtomicInteger();

    private TriggerCount() {}
  }
}
