package io.cantle.core.node;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A few counters that belong together. Each has a part for each of several stripes, and a thread
 * counts in the stripe of its number, so that threads on different processors rarely meet. The
 * parts of a stripe lie together, in a cache line of their own.
 *
 * <p>A {@code LongAdder} for each counter would do the same. Here one line of memory has all that a
 * call counts, and what its thread has counted so far.
 *
 * <p><b>Threading:</b> any thread. A sum that is read while others count may lack some of it.
 */
final class StripedCounters {
  /** The counters of a stripe: two cache lines, since processors fetch two at once. */
  private static final int STRIPE_LENGTH = 16;

  private static final int MAX_STRIPES = 64;

  private final AtomicLongArray parts;
  private final int stripeMask;

  /**
   * Creates counters that are all 0.
   *
   * @param processors how many threads may count at a time
   */
  StripedCounters(int processors) {
    int stripes = Integer.highestOneBit(Math.min(2 * processors, MAX_STRIPES));
    stripeMask = stripes - 1;
    // The first stripe does not begin with the array, whose head is in the same cache line.
    parts = new AtomicLongArray((stripes + 1) * STRIPE_LENGTH);
  }

  /** Counts one event. */
  void increment(int counter) {
    parts.getAndIncrement(placeOf(counter));
  }

  /** Counts some events. */
  void add(int counter, long count) {
    parts.getAndAdd(placeOf(counter), count);
  }

  /** What was counted in the stripe of the calling thread. */
  long countHere(int counter) {
    return parts.getPlain(placeOf(counter));
  }

  /** What was counted so far. */
  long sum(int counter) {
    long sum = 0;
    for (int stripe = 0; stripe <= stripeMask; stripe++) {
      sum += parts.get(place(stripe, counter));
    }
    return sum;
  }

  private int placeOf(int counter) {
    return place((int) Thread.currentThread().threadId() & stripeMask, counter);
  }

  private static int place(int stripe, int counter) {
    return (stripe + 1) * STRIPE_LENGTH + counter;
  }
}
