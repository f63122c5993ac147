package io.cantle.core.codec;

import java.util.concurrent.atomic.AtomicInteger;

/** A class that tells when it is initialised; only ever named in bytes. */
record Trap(int number) {
  static {
    Sprung.COUNT.incrementAndGet();
  }

  /** Holds the count, since to ask {@code Trap} would spring it. */
  static final class Sprung {
    static final AtomicInteger COUNT = new AtomicInteger();

    private Sprung() {}
  }
}
