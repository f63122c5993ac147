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
final class Eviction {
  private static final System.Logger LOG = System.getLogger(Eviction.class.getName());

  /** How many entries are looked at before others may have the thread. */
  private static final long STEP_VISITS = 32_768;

  /** Below the bound by this part of it a sweep ends, so that not each write begins another. */
  private static final int LOW_PART = 16;

  /** How much more there must be, as a part of what there is, before it is swept again in vain. */
  private static final int VAIN_PART = 64;

  private final long mostBytes;
  private final Clock clock;
  private final Supplier<List<Replica>> kept;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong leaving = new AtomicLong();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicBoolean told = new AtomicBoolean();

  /** From how many bytes on it is worth to sweep. */
  private volatile long worthBytes;

  /** Where the hand is, and how many entries it has passed in vain; for who sweeps. */
  private int at;

  private long vainVisits;

  /** What there was when the sweep began, which may be very many; empty between two of them. */
  private List<Replica> all = List.of();

  private long entries;

  /**
   * Keeps memory within a bound.
   *
   * @param mostBytes the bound
   * @param kept all replicas of kept caches
   */
  Eviction(long mostBytes, Clock clock, Supplier<List<Replica>> kept) {
    this.mostBytes = mostBytes;
    this.worthBytes = mostBytes;
    this.clock = clock;
    this.kept = kept;
  }

  /** How many bytes the entries take. */
  long usedBytes() {
    return used.get();
  }

  /** The entries of a copy take so much more, or less. */
  void changed(long bytes) {
    long now = used.addAndGet(bytes);
    if (bytes < 0 && worthBytes > mostBytes) {
      // What was swept in vain has gone: what comes in its place can be evicted, perhaps.
      worthBytes = Math.min(worthBytes, worthAbove(now));
    }
    sweepSoon();
  }

  private long worthAbove(long bytes) {
    return Math.max(mostBytes, bytes + bytes / VAIN_PART);
  }

  private long staying() {
    return used.get() - leaving.get();
  }

  private void sweepSoon() {
    if (staying() > worthBytes && sweeping.compareAndSet(false, true)) {
      vainVisits = 0;
      clock.schedule(0, this::sweep);
    }
  }

  private void sweep() {
    boolean goesOn = false;
    try {
      goesOn = goesOnAfterStep();
    } finally {
      if (!goesOn) {
        all = List.of();
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

  private boolean goesOnAfterStep() {
    if (all.isEmpty()) {
      all = List.copyOf(kept.get());
      entries = all.stream().mapToLong(Eviction::keys).sum();
    }
    long excess = staying() - (mostBytes - mostBytes / LOW_PART);
    long step = STEP_VISITS;
    for (int skipped = 0; excess > 0 && step > 0 && skipped < all.size(); ) {
      at = at < all.size() ? at : 0;
      Values.Chosen chosen = all.get(at).values().evict(step, excess, this::left);
      leaving.addAndGet(chosen.bytes());
      excess -= chosen.bytes();
      step -= chosen.visited();
      vainVisits = chosen.bytes() > 0 ? 0 : vainVisits + chosen.visited();
      skipped = chosen.visited() > 0 ? 0 : skipped + 1;
      at += chosen.isAll() ? 1 : 0;
      if (vainVisits > 2 * entries) {
        break;
      }
    }
    if (excess > 0 && step <= 0 && vainVisits <= 2 * entries) {
      return true;
    }
    if (excess > 0) {
      inVain();
    } else {
      worthBytes = mostBytes;
    }
    return false;
  }

  /** Removed ones are passed as well. */
  private static long keys(Replica replica) {
    return (long) replica.entries().liveCount() + replica.entries().tombstoneCount();
  }

  /** What can be evicted is, or is about to be. */
  private void inVain() {
    worthBytes = worthAbove(staying());
    // Copies that are back count before they are among all.
    if (staying() > mostBytes && entries > 0 && !told.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the {0} entries kept here take {1} bytes of memory without their values, and"
              + " GridConfig.storeMemory is {2}: their keys stay in memory; raise it, or have more"
              + " nodes",
          entries,
          staying(),
          mostBytes);
    }
  }

  private void left(long bytes) {
    leaving.addAndGet(-bytes);
    sweepSoon();
  }
}
