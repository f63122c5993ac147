package io.cantle.store.log;

import io.cantle.store.StoreClock;

/**
 * Decides how long to wait for more before a batch is written, without being told how many there
 * are that append. Those whose records were written together come back together, a little after
 * they were told; a sync for the first of them alone would make all others wait for two.
 *
 * <p>It expects as many as came lately, and waits while they keep coming: until the time since the
 * last arrival is more than a sync costs each of those that wait already, or as long as a sync. It
 * does so only while that has paid: {@code credit} is how large a share of the expected came within
 * the wait, and below one half it is merely tried now and then. One that appends alone never waits.
 *
 * <p><b>Threading:</b> the writer.
 */
final class Gather {
  private static final double SMOOTHING = 0.125;
  private static final double ENOUGH_CREDIT = 0.5;
  private static final int PROBE_EVERY = 64;
  private static final int MOST_YIELDS = 20_000;
  private static final int MOST_SPINS = 4_000;

  /** To be woken costs half of it, and the processor is cold then. */
  private static final long MOST_IDLE_NANOS = 60_000;

  private final Handover handover;
  private final StoreClock clock;

  private double syncNanos;
  private double expected = 1;
  private double credit = 1;
  private double idleCredit = 1;
  private int batches;
  private int idles;

  Gather(Handover handover, StoreClock clock) {
    this.handover = handover;
    this.clock = clock;
  }

  /**
   * Waits a moment for the first to come back, without letting go of the processor: whoever runs on
   * another is back sooner than this thread could be woken, and where others want the processor, to
   * give it away costs a slice of their time.
   */
  void awaitFirst() {
    idles++;
    if (idleCredit < ENOUGH_CREDIT && idles % PROBE_EVERY != 0) {
      return;
    }
    long until = clock.nanoTime() + Math.min((long) (syncNanos / 2), MOST_IDLE_NANOS);
    for (int spins = 0; spins < MOST_SPINS && handover.size() == 0; spins++) {
      if (clock.nanoTime() >= until) {
        break;
      }
      Thread.onSpinWait();
    }
    idleCredit += SMOOTHING * ((handover.size() > 0 ? 1 : 0) - idleCredit);
  }

  /**
   * Waits for others while that is expected to pay.
   *
   * @param taken how many were taken already
   */
  void awaitOthers(int taken) {
    batches++;
    int here = taken + handover.size();
    if (here >= expected || (credit < ENOUGH_CREDIT && batches % PROBE_EVERY != 0)) {
      return;
    }
    long start = clock.nanoTime();
    long last = start;
    double saved = syncNanos * Math.max(1, expected - here);
    for (int yields = 0; here < expected && yields < MOST_YIELDS; yields++) {
      letOthersRun();
      int now = taken + handover.size();
      long time = clock.nanoTime();
      if (now > here) {
        here = now;
        last = time;
        saved = syncNanos;
      } else if ((double) (time - last) * here > saved + (time - start)
          || time - start > syncNanos) {
        break;
      }
    }
    credit += SMOOTHING * (Math.min(1, here / expected) - credit);
  }

  /** How many it expects. */
  double expected() {
    return expected;
  }

  /**
   * Learns from a batch that was written.
   *
   * @param count how many were in it
   * @param left how many others had come when it was done
   * @param nanos how long it took
   */
  void wrote(int count, int left, long nanos) {
    syncNanos = syncNanos == 0 ? nanos : syncNanos + SMOOTHING * (nanos - syncNanos);
    int seen = count + left;
    expected = seen >= expected ? seen : expected + SMOOTHING * (seen - expected);
  }

  // A wait this short costs less than to be woken. Those who are waited for need the processor.
  @SuppressWarnings("ThreadPriorityCheck")
  private static void letOthersRun() {
    Thread.yield();
  }
}
