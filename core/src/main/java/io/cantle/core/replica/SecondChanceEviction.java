package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Keeps within a bound what the entries of kept caches take of a node's memory: beyond it values
 * are evicted that are on disk and were not used lately. A hand goes round over all entries and
 * takes those that were not used since it came by before (second chance, as in page replacement).
 *
 * <p><b>Threading:</b> any thread; one at a time sweeps.
 */
final class SecondChanceEviction {
  private static final System.Logger LOG = System.getLogger(SecondChanceEviction.class.getName());

  /** How many entries are looked at before others may have the thread. */
  private static final long MAX_STEP_VISITS = 32_768;

  /** Below the bound by this part of it a sweep ends, so that not each write begins another. */
  private static final int LOW_WATER_DIVISOR = 16;

  /** How much more there must be, as a part of what there is, before it is swept again in vain. */
  private static final int RETRY_GROWTH_DIVISOR = 64;

  private final long maxBytes;
  private final Clock clock;
  private final Supplier<List<Replica>> durableReplicas;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong pendingEvictionBytes = new AtomicLong();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();

  /** From how many bytes on it is worth to sweep. */
  private volatile long sweepThresholdBytes;

  /** Where the hand is, and how many entries it has passed in vain; for who sweeps. */
  private int handIndex;

  private long fruitlessVisits;

  /** What there was when the sweep began, which may be very many; empty between two of them. */
  private List<Replica> sweptReplicas = List.of();

  private long entryCount;

  /**
   * Keeps memory within a bound.
   *
   * @param maxBytes the bound
   * @param durableReplicas all replicas of kept caches
   */
  SecondChanceEviction(long maxBytes, Clock clock, Supplier<List<Replica>> durableReplicas) {
    this.maxBytes = maxBytes;
    this.sweepThresholdBytes = maxBytes;
    this.clock = clock;
    this.durableReplicas = durableReplicas;
  }

  /** How many bytes the entries take. */
  long usedBytes() {
    return usedBytes.get();
  }

  /** The entries of a copy take so much more, or less. */
  void onSizeChange(long bytes) {
    long now = usedBytes.addAndGet(bytes);
    if (bytes < 0 && sweepThresholdBytes > maxBytes) {
      // What was swept in vain has gone: what comes in its place can be evicted, perhaps.
      sweepThresholdBytes = Math.min(sweepThresholdBytes, thresholdAbove(now));
    }
    sweepSoon();
  }

  private long thresholdAbove(long bytes) {
    return Math.max(maxBytes, bytes + bytes / RETRY_GROWTH_DIVISOR);
  }

  private long remainingBytes() {
    return usedBytes.get() - pendingEvictionBytes.get();
  }

  private void sweepSoon() {
    if (remainingBytes() > sweepThresholdBytes && sweeping.compareAndSet(false, true)) {
      fruitlessVisits = 0;
      clock.schedule(0, this::sweep);
    }
  }

  private void sweep() {
    boolean goesOn = false;
    try {
      goesOn = sweepStep();
    } finally {
      if (!goesOn) {
        sweptReplicas = List.of();
      }
      // Whatever went wrong: another one begins with the next change.
      sweeping.set(goesOn);
    }
    if (goesOn) {
      clock.schedule(0, this::sweep);
    } else {
      sweepSoon();
    }
  }

  private boolean sweepStep() {
    if (sweptReplicas.isEmpty()) {
      sweptReplicas = List.copyOf(durableReplicas.get());
      entryCount = sweptReplicas.stream().mapToLong(SecondChanceEviction::countKeys).sum();
    }
    long excess = remainingBytes() - (maxBytes - maxBytes / LOW_WATER_DIVISOR);
    long step = MAX_STEP_VISITS;
    for (int skipped = 0; excess > 0 && step > 0 && skipped < sweptReplicas.size(); ) {
      handIndex = handIndex < sweptReplicas.size() ? handIndex : 0;
      ValueResidency.EvictionChoice chosen =
          sweptReplicas.get(handIndex).valueResidency().evict(step, excess, this::onEvicted);
      pendingEvictionBytes.addAndGet(chosen.bytes());
      excess -= chosen.bytes();
      step -= chosen.visitedCount();
      fruitlessVisits = chosen.bytes() > 0 ? 0 : fruitlessVisits + chosen.visitedCount();
      skipped = chosen.visitedCount() > 0 ? 0 : skipped + 1;
      handIndex += chosen.isEndReached() ? 1 : 0;
      if (fruitlessVisits > 2 * entryCount) {
        break;
      }
    }
    if (excess > 0 && step <= 0 && fruitlessVisits <= 2 * entryCount) {
      return true;
    }
    if (excess > 0) {
      raiseThreshold();
    } else {
      sweepThresholdBytes = maxBytes;
    }
    return false;
  }

  /** Removed ones are passed as well. */
  private static long countKeys(Replica replica) {
    return (long) replica.entries().liveCount() + replica.entries().tombstoneCount();
  }

  /** What can be evicted is, or is about to be. */
  private void raiseThreshold() {
    sweepThresholdBytes = thresholdAbove(remainingBytes());
    // Copies that are back count before they are among all.
    if (remainingBytes() > maxBytes && entryCount > 0 && !warned.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the {0} entries kept here take {1} bytes of memory without their values, and"
              + " GridConfig.storeMemory is {2}: their keys stay in memory; raise it, or have more"
              + " nodes",
          entryCount,
          remainingBytes(),
          maxBytes);
    }
  }

  private void onEvicted(long bytes) {
    pendingEvictionBytes.addAndGet(-bytes);
    sweepSoon();
  }
}
