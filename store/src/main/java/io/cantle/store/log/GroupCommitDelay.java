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
final class GroupCommitDelay {
  private static final double SMOOTHING = 0.125;
  private static final double MIN_CREDIT = 0.5;
  private static final int PROBE_INTERVAL_BATCHES = 64;
  private static final int MAX_YIELDS = 20_000;
  private static final int MAX_SPINS = 4_000;

  /** To be woken costs half of it, and the processor is cold then. */
  private static final long MAX_IDLE_NANOS = 60_000;

  private final AppendQueue queue;
  private final StoreClock clock;

  private double syncNanos;
  private double expectedAppends = 1;
  private double credit = 1;
  private double idleCredit = 1;
  private int batchCount;
  private int idleCount;

  GroupCommitDelay(AppendQueue queue, StoreClock clock) {
    this.queue = queue;
    this.clock = clock;
  }

  /**
   * Waits a moment for the first to come back, without letting go of the processor: whoever runs on
   * another is back sooner than this thread could be woken, and where others want the processor, to
   * give it away costs a slice of their time.
   */
  void awaitFirst() {
    idleCount++;
    if (idleCredit < MIN_CREDIT && idleCount % PROBE_INTERVAL_BATCHES != 0) {
      return;
    }
    long until = clock.nanoTime() + Math.min((long) (syncNanos / 2), MAX_IDLE_NANOS);
    for (int spins = 0; spins < MAX_SPINS && queue.depth() == 0; spins++) {
      if (clock.nanoTime() >= until) {
        break;
      }
      Thread.onSpinWait();
    }
    idleCredit += SMOOTHING * ((queue.depth() > 0 ? 1 : 0) - idleCredit);
  }

  /**
   * Waits for others while that is expected to pay.
   *
   * @param taken how many were taken already
   */
  void awaitOthers(int taken) {
    batchCount++;
    int here = taken + queue.depth();
    if (here >= expectedAppends
        || (credit < MIN_CREDIT && batchCount % PROBE_INTERVAL_BATCHES != 0)) {
      return;
    }
    long start = clock.nanoTime();
    long last = start;
    double saved = syncNanos * Math.max(1, expectedAppends - here);
    for (int yields = 0; here < expectedAppends && yields < MAX_YIELDS; yields++) {
      yieldProcessor();
      int now = taken + queue.depth();
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
    credit += SMOOTHING * (Math.min(1, here / expectedAppends) - credit);
  }

  /** How many it expects. */
  double expectedAppends() {
    return expectedAppends;
  }

  /**
   * Learns from a batch that was written.
   *
   * @param count how many were in it
   * @param left how many others had come when it was done
   * @param nanos how long it took
   */
  void recordBatch(int count, int left, long nanos) {
    syncNanos = syncNanos == 0 ? nanos : syncNanos + SMOOTHING * (nanos - syncNanos);
    int seen = count + left;
    expectedAppends =
        seen >= expectedAppends ? seen : expectedAppends + SMOOTHING * (seen - expectedAppends);
  }

  // A wait this short costs less than to be woken. Those who are waited for need the processor.
  @SuppressWarnings("ThreadPriorityCheck")
  private static void yieldProcessor() {
    Thread.yield();
  }
}
