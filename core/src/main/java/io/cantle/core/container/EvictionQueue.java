package io.cantle.core.container;

import java.util.HashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Says which entry of a segment to evict next, or the value of which one, so that those that are
 * used stay.
 *
 * <p><b>Design.</b> S3-FIFO (Yang and others, "FIFO queues are all you need for cache eviction",
 * SOSP 2023) with one mark for each entry. A read only sets the mark of the entry. The queues are
 * moved by writers, which hold the lock of the segment anyway.
 *
 * <ul>
 *   <li>A new key is on <em>probation</em>, in a queue of a tenth as many entries as the main
 *       queue. What was not used when its turn comes is evicted; what was used moves to the
 *       <em>main</em> queue. So keys that are wanted once, such as those of a bulk load, push out
 *       only each other.
 *   <li>At the end of the main queue, an entry that was used since begins again; any other is
 *       evicted.
 *   <li>The hashes of keys that left probation are remembered as <em>ghosts</em>, about as many as
 *       the main queue is long. A ghost that comes back belongs into the main queue.
 * </ul>
 *
 * <p>Two things are different from the paper. Until something is evicted, new keys go to the main
 * queue. And a ghost that comes back is compared with the end of the main queue: if that entry was
 * used, the entry begins again and the ghost is on probation. Without both, a loop over a little
 * more than fits is never found in the cache.
 *
 * <p>The queues hold hashes, no entries, so any {@link Container} will do. A key that is removed
 * leaves its place in a queue behind, which is passed over when its turn comes. If there are too
 * many of these, they are taken out.
 *
 * <p>Only some of the entries of a container may be candidates: where values are evicted, those
 * whose value is in memory. One whose value comes back from disk is added again.
 *
 * <p><b>Threading:</b> guarded by the lock of the segment.
 */
public final class EvictionQueue {
  /** The part of the entries that is on probation. */
  private static final int PROBATION_DIVISOR = 10;

  /** Places of removed keys are taken out when there are more than these, and as many as keys. */
  private static final int MAX_SPARE_PLACES = 64;

  private final Container entries;
  private final Predicate<Entry> isCandidate;
  private final IntSupplier candidateCount;
  private final HashQueue probation = new HashQueue();
  private final HashQueue main = new HashQueue();
  private final GhostTable ghosts = new GhostTable();

  /** Whether something was evicted: from then on, new keys are on probation. */
  private boolean evicting;

  /** Creates the queue of a container that is empty, or whose keys are added next. */
  public EvictionQueue(Container entries) {
    this(entries, live -> true, entries::liveCount);
  }

  /**
   * Creates the queue of some of the entries of a container, which are added next.
   *
   * @param isCandidate whether an entry with a value is one of them
   * @param candidateCount how many there are
   */
  public EvictionQueue(
      Container entries, Predicate<Entry> isCandidate, IntSupplier candidateCount) {
    this.entries = entries;
    this.isCandidate = isCandidate;
    this.candidateCount = candidateCount;
  }

  /** Adds a candidate whose key was none before. Its entry is in the container. */
  public void onAdded(Entry added) {
    long hash = added.hash();
    if (!evicting || (ghosts.remove(hash, main.size()) && beatsEldest())) {
      main.add(hash);
    } else {
      probation.add(hash);
    }
    if (size() > MAX_SPARE_PLACES + 2L * candidateCount.getAsInt()) {
      dropStalePlaces();
    }
  }

  /** The present candidate of a place in a queue; null if it has gone. */
  private @Nullable Entry find(long hash) {
    Entry live = entries.findLive(hash);
    return live != null && isCandidate.test(live) ? live : null;
  }

  /** Whether the eldest of the main queue was not used. If it was, it begins again. */
  private boolean beatsEldest() {
    while (!main.isEmpty()) {
      Entry eldest = find(main.peek());
      if (eldest != null) {
        if (!entries.testAndClearUsed(eldest)) {
          return true;
        }
        main.add(main.poll());
        return false;
      }
      main.poll();
    }
    return true;
  }

  /**
   * Returns the entry to evict, which leaves the queue. The caller removes it from the container.
   * Returns null if there is none.
   */
  public @Nullable Entry pollVictim() {
    // Readers may set marks as fast as they are cleared here.
    for (int chances = 2 * size(); size() > 0; chances--) {
      Entry victim = poll(chances > 0);
      if (victim != null) {
        return victim;
      }
    }
    return null;
  }

  /**
   * Looks at the one place whose turn it is, for a caller that has other queues to choose from.
   * Returns its entry if that is to be evicted, and leaves the queue. Returns null if the entry was
   * used and begins again, or if it has gone, or the queue is empty.
   */
  public @Nullable Entry pollUnused() {
    return size() == 0 ? null : poll(true);
  }

  /** Returns the entry of the next place, unless it begins again because it was used. */
  private @Nullable Entry poll(boolean sparesUsed) {
    evicting = true;
    boolean fromProbation = main.isEmpty() || surplus() > 0;
    long hash = fromProbation ? probation.poll() : main.poll();
    Entry entry = find(hash);
    if (entry == null) {
      return null;
    }
    if (entries.testAndClearUsed(entry) && sparesUsed) {
      main.add(hash);
      return null;
    }
    if (fromProbation) {
      ghosts.add(hash, main.size());
    } else {
      ghosts.shrink(main.size());
    }
    return entry;
  }

  /** Takes back an entry that left the queue and is not evicted, unless its key has gone since. */
  public void takeBack(Entry spared) {
    long hash = spared.hash();
    if (find(hash) != null) {
      ghosts.remove(hash, main.size());
      main.add(hash);
    }
  }

  /** How many places of those on probation go before any of the main queue. */
  public int surplus() {
    return Math.max(0, probation.size() - Math.max(1, main.size() / PROBATION_DIVISOR));
  }

  /** How many places there are in the queues, those of keys that have gone included. */
  public int size() {
    return probation.size() + main.size();
  }

  /** The memory that the queues and the ghosts take beyond that of a queue without entries. */
  public long sizeBytes() {
    return probation.sizeBytes() + main.sizeBytes() + ghosts.sizeBytes();
  }

  /** Forgets everything, because the container was cleared. */
  public void clear() {
    probation.clear();
    main.clear();
    ghosts.clear();
    evicting = false;
  }

  /** Takes out the places of keys that were removed; of a key with several, the last one stays. */
  private void dropStalePlaces() {
    Set<Long> kept = new HashSet<>();
    probation.retainFromLast(hash -> find(hash) != null && kept.add(hash));
    main.retainFromLast(hash -> find(hash) != null && kept.add(hash));
  }
}
