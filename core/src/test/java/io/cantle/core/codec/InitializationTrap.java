package io.cantle.core.codec;

import java.util.concurrent.atomic.AtomicInteger;

/** A record that counts its class initialisations; only named in bytes. */
record InitializationTrap(int number) {
  static {
    TriggerCount.COUNT.incrementAndGet();
  }

  /** Holds the count, because asking the trap itself would initialise it. */
  static final class TriggerCount {
    static final AtomicInteger COUNT = new AtomicInteger();

    private TriggerCount() {}
  }
}
