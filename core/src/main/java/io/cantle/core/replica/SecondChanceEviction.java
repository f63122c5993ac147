package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Keeps the memory that the entries of durable caches take on a node below a limit. Above it, it
 * evicts values that are on disk and were not used lately. A clock hand passes over all entries and
 * evicts those that were not used since its last pass (second chance, as in page replacement).
 *
 * <p><b>Threading:</b> any thread; one thread at a time sweeps.
 */
final class SecondChanceEviction {
  private static final System.Logger LOG = System.getLogger(SecondChanceEviction.class.getName());

  /** The most entries to visit before other tasks may have the thread. */
  private static final long MAX_STEP_VISITS = 32_768;

  /**
   * A sweep ends when the memory is below the limit by this fraction of it, so that not every write
   * starts another sweep.
   */
  private static final int LOW_WATER_DIVISOR = 16;

  /**
   * The fraction by which the memory must grow after a fruitless sweep before another one starts.
   */
  private static final int RETRY_GROWTH_DIVISOR = 64;

  private final long maxBytes;
  private final Clock clock;
  private final Supplier<List<Replica>> durableReplicas;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong pendingEvictionBytes = new AtomicLong();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();

  /** The number of bytes above which a sweep is worthwhile. */
  private volatile long sweepThresholdBytes;

  /**
   * The position of the hand, and the entries visited since it last evicted something. Used by the
   * sweeping thread only.
   */
  private int handIndex;

  private long fruitlessVisits;

  /** The replicas when the sweep began, which may be very many; empty between two sweeps. */
  private List<Replica> sweptReplicas = List.of();

  private long entryCount;

  /**
   * Keeps memory below a limit.
   *
   * @param maxBytes the limit
   * @param durableReplicas all replicas of durable caches
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

  /** Records that the entries of a replica take more or less memory by a number of bytes. */
  void onSizeChange(long bytes) {
    long now = usedBytes.addAndGet(bytes);
    if (bytes < 0 && sweepThresholdBytes > maxBytes) {
      // Some of what could not be evicted is gone; what replaces it may be evictable.
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
    boolean continues = false;
    try {
      continues = sweepStep();
    } finally {
      if (!continues) {
        sweptReplicas = List.of();
      }
      // Even after a failure the next change may start another sweep.
      sweeping.set(continues);
    }
    if (continues) {
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

  /** Counts tombstones too, because the hand visits them. */
  private static long countKeys(Replica replica) {
    return (long) replica.entries().liveCount() + replica.entries().tombstoneCount();
  }

  /** Raises the threshold: everything that can be evicted has been, or is about to be. */
  private void raiseThreshold() {
    sweepThresholdBytes = thresholdAbove(remainingBytes());
    // Replicas that have been restored are counted before the list of all replicas contains them.
    if (remainingBytes() > maxBytes && entryCount > 0 && !warned.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the {0} entries of durable caches take {1} bytes of memory without their values, but"
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
