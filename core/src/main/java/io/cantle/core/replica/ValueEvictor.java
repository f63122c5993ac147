package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Keeps the memory that durable caches take on a node below a limit. Above it, it evicts values
 * that are on disk, those first that go first in the queues of their segments ({@link
 * EntryAccount}).
 *
 * <p>The segments take turns. In a turn a segment gives up what it has on probation beyond a tenth,
 * as it would by itself. It also looks at a small part of its queue, the same part for all, and
 * gives up what it finds unused there. So memory goes from segments whose values are not in use any
 * more to others, and no segment has a share. If all turns were not enough, the next round looks at
 * twice that part.
 *
 * <p><b>Threading:</b> any thread; one thread at a time sweeps.
 */
final class ValueEvictor {
  private static final System.Logger LOG = System.getLogger(ValueEvictor.class.getName());

  /** The most places of queues to look at before other tasks may have the thread. */
  private static final long MAX_STEP_VISITS = 32_768;

  /**
   * A sweep ends when the memory is below the limit by this fraction of what values take, so that
   * not every write starts another sweep.
   */
  private static final int LOW_WATER_DIVISOR = 64;

  /**
   * If nothing were on probation, the parts that the first round looks at would be enough for this
   * fraction of what a sweep is to free.
   */
  private static final int FIRST_ROUND_DIVISOR = 8;

  /**
   * The fraction by which the memory must grow after a fruitless sweep before another one starts.
   */
  private static final int RETRY_GROWTH_DIVISOR = 64;

  private final long maxBytes;
  private final Clock clock;
  private final Supplier<List<ValueResidency>> durableReplicas;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong pendingEvictionBytes = new AtomicLong();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();

  /** The number of bytes above which a sweep is worthwhile. */
  private volatile long sweepThresholdBytes;

  // Of the sweeping thread only.

  /** The replica whose turn is next: a sweep begins where the one before has ended. */
  private int turn;

  /** The replicas when the sweep began, which may be very many; empty between two sweeps. */
  private List<ValueResidency> sweptReplicas = List.of();

  private long entryCount;

  /** The sweep ends when no more memory than this is taken. */
  private long targetBytes;

  /** The part of each queue that is looked at in this round. */
  private double turnPart;

  private int turnsLeft;
  private long roundVisits;

  /** The places that were looked at since a value was chosen last. */
  private long fruitlessVisits;

  /** Whether there is nothing more to choose. */
  private boolean exhausted;

  /**
   * Keeps memory below a limit.
   *
   * @param maxBytes the limit
   * @param durableReplicas all replicas of durable caches
   */
  ValueEvictor(long maxBytes, Clock clock, Supplier<List<ValueResidency>> durableReplicas) {
    this.maxBytes = maxBytes;
    this.sweepThresholdBytes = maxBytes;
    this.clock = clock;
    this.durableReplicas = durableReplicas;
  }

  /** How many bytes durable caches take: their entries, and the queues of these. */
  long usedBytes() {
    return usedBytes.get();
  }

  /** Records that a replica takes more or less memory by a number of bytes. */
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
      beginSweep();
    }
    long excess = remainingBytes() - targetBytes;
    long step = MAX_STEP_VISITS;
    while (excess > 0 && step > 0 && !exhausted) {
      turn = turn < sweptReplicas.size() ? turn : 0;
      ValueResidency.EvictionChoice chosen =
          sweptReplicas.get(turn++).evict(turnPart, step, excess, this::onEvicted);
      pendingEvictionBytes.addAndGet(chosen.bytes());
      excess -= chosen.bytes();
      step -= Math.max(1, chosen.visitedCount());
      endTurn(chosen);
    }
    if (excess > 0 && !exhausted) {
      return true;
    }
    if (excess > 0) {
      raiseThreshold();
    } else {
      sweepThresholdBytes = maxBytes;
    }
    return false;
  }

  private void beginSweep() {
    sweptReplicas = List.copyOf(durableReplicas.get());
    entryCount = sweptReplicas.stream().mapToLong(ValueResidency::liveCount).sum();
    long evictable = sweptReplicas.stream().mapToLong(ValueResidency::evictableBytes).sum();
    targetBytes = maxBytes - evictable / LOW_WATER_DIVISOR;
    double wanted = (double) (remainingBytes() - targetBytes) / Math.max(1, evictable);
    turnPart = Math.min(1, wanted) / FIRST_ROUND_DIVISOR;
    turnsLeft = sweptReplicas.size();
    roundVisits = 0;
    fruitlessVisits = 0;
    exhausted = sweptReplicas.isEmpty();
  }

  private void endTurn(ValueResidency.EvictionChoice chosen) {
    roundVisits += chosen.visitedCount();
    fruitlessVisits = chosen.bytes() > 0 ? 0 : fruitlessVisits + chosen.visitedCount();
    if (--turnsLeft == 0) {
      boolean isWhole = turnPart >= 1;
      exhausted = isWhole && (roundVisits == 0 || fruitlessVisits > 2 * entryCount);
      turnPart = Math.min(1, 2 * turnPart);
      turnsLeft = sweptReplicas.size();
      roundVisits = 0;
    }
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
