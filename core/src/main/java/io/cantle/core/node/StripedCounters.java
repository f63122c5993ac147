package io.cantle.core.node;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A few counters that belong together. Each has a part for each of several stripes, and a thread
 * counts in the stripe of its number, so that threads on different processors rarely meet. The
 * parts of a stripe lie together, in cache lines of their own.
 *
 * <p>A stripe belongs to the first thread that counts in it. That thread alone writes one half of
 * the parts, so it needs no atomic operation, behind which the processor would read nothing ahead.
 * Other threads of the stripe share the other half.
 *
 * <p>A {@code LongAdder} for each counter would do the same with atomic operations. Here one line
 * of memory has all that a call counts, and what its thread has counted so far.
 *
 * <p><b>Threading:</b> any thread. A sum that is read while others count may lack some of it.
 */
final class StripedCounters {
  /** A stripe is two cache lines, since processors fetch two at once. */
  private static final int STRIPE_LENGTH = 16;

  /** After the parts of the owner: the number of its thread, or 0. */
  private static final int OWNER = 7;

  /** Where the parts begin that other threads share. */
  private static final int SHARED = 8;

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
    add(counter, 1);
  }

  /** Counts some events. */
  void add(int counter, long count) {
    long thread = Thread.currentThread().threadId();
    int stripe = stripeOf(thread);
    if (parts.getPlain(stripe + OWNER) == thread
        || parts.compareAndSet(stripe + OWNER, 0, thread)) {
      parts.setOpaque(stripe + counter, parts.getPlain(stripe + counter) + count);
    } else {
      parts.getAndAdd(stripe + SHARED + counter, count);
    }
  }

  /** What was counted in the stripe of the calling thread. */
  long countHere(int counter) {
    int place = stripeOf(Thread.currentThread().threadId()) + counter;
    return parts.getPlain(place) + parts.getPlain(place + SHARED);
  }

  /** What was counted so far. */
  long sum(int counter) {
    long sum = 0;
    for (int stripe = 0; stripe <= stripeMask; stripe++) {
      int place = startOf(stripe) + counter;
      sum += parts.get(place) + parts.get(place + SHARED);
    }
    return sum;
  }

  private int stripeOf(long thread) {
    return startOf((int) thread & stripeMask);
  }

  private static int startOf(int stripe) {
    return (stripe + 1) * STRIPE_LENGTH;
  }
}
