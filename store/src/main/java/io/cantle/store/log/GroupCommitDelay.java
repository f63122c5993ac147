package io.cantle.store.log;

import io.cantle.store.StoreClock;

/**
 * Decides how long the writer waits for more appends before it writes a batch, without being told
 * how many threads append. Threads whose records were written together come back together, a little
 * after their appends were completed. A sync for the first of them alone would make all others wait
 * for two syncs.
 *
 * <p>It expects as many appends as came lately, and waits while they keep coming. It stops when the
 * time since the last arrival is more than a sync costs each append that already waits, or as long
 * as a sync. It waits only while that has paid: {@code credit} is the share of the expected appends
 * that arrived within the wait, and below one half waiting is only tried now and then. A thread
 * that appends alone never waits.
 *
 * <p><b>Threading:</b> the writer.
 */
final class GroupCommitDelay {
  private static final double SMOOTHING = 0.125;
  private static final double MIN_CREDIT = 0.5;
  private static final int PROBE_INTERVAL_BATCHES = 64;
  private static final int MAX_YIELDS = 20_000;
  private static final int MAX_SPINS = 4_000;

  /** Being woken costs half of this, and the processor's caches are cold then. */
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
   * Spins a moment for the first append, without giving up the processor. A thread that runs on
   * another processor comes back sooner than this thread could be woken. Where others want the
   * processor, giving it up would cost a whole time slice.
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
   * Waits for more appends while that is expected to pay.
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

  /** How many appends it expects. */
  double expectedAppends() {
    return expectedAppends;
  }

  /**
   * Learns from a batch that was written.
   *
   * @param count how many appends were in it
   * @param left how many others had arrived when it was done
   * @param nanos how long it took
   */
  void recordBatch(int count, int left, long nanos) {
    syncNanos = syncNanos == 0 ? nanos : syncNanos + SMOOTHING * (nanos - syncNanos);
    int seen = count + left;
    expectedAppends =
        seen >= expectedAppends ? seen : expectedAppends + SMOOTHING * (seen - expectedAppends);
  }

  // So short a wait costs less than being woken. The awaited threads need the processor.
  @SuppressWarnings("ThreadPriorityCheck")
  private static void yieldProcessor() {
    Thread.yield();
  }
}
