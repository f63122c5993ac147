package io.cantle.core.container;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which entry of a segment to evict next, so that those that are used stay.
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
 * <p><b>Threading:</b> guarded by the lock of the segment.
 */
public final class EvictionQueue {
  /** The part of the entries that is on probation. */
  private static final int PROBATION_DIVISOR = 10;

  /** Places of removed keys are taken out when there are more than these, and as many as keys. */
  private static final int MAX_SPARE_PLACES = 64;

  private final Container entries;
  private final HashQueue probation = new HashQueue();
  private final HashQueue main = new HashQueue();
  private final GhostTable ghosts = new GhostTable();

  /** Whether something was evicted: from then on, new keys are on probation. */
  private boolean evicting;

  /** Creates the queue of a container that is empty, or whose keys are added next. */
  public EvictionQueue(Container entries) {
    this.entries = entries;
  }

  /** Adds a key that had no value before. Its entry is in the container. */
  public void onAdded(Entry added) {
    long hash = added.hash();
    if (!evicting || (ghosts.remove(hash, main.size()) && beatsEldest())) {
      main.add(hash);
    } else {
      probation.add(hash);
    }
    int places = probation.size() + main.size();
    if (places > MAX_SPARE_PLACES + 2L * entries.liveCount()) {
      dropStalePlaces();
    }
  }

  /** Whether the eldest of the main queue was not used. If it was, it begins again. */
  private boolean beatsEldest() {
    while (!main.isEmpty()) {
      Entry eldest = entries.findLive(main.peek());
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
    evicting = true;
    // Readers may set marks as fast as they are cleared here.
    int chances = 2 * (probation.size() + main.size());
    while (!probation.isEmpty() || !main.isEmpty()) {
      boolean fromProbation =
          main.isEmpty() || probation.size() > Math.max(1, main.size() / PROBATION_DIVISOR);
      long hash = fromProbation ? probation.poll() : main.poll();
      Entry entry = entries.findLive(hash);
      if (entry == null) {
        continue;
      }
      if (entries.testAndClearUsed(entry) && chances-- > 0) {
        main.add(hash);
        continue;
      }
      if (fromProbation) {
        ghosts.add(hash, main.size());
      } else {
        ghosts.shrink(main.size());
      }
      return entry;
    }
    return null;
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
    probation.retainFromLast(hash -> entries.findLive(hash) != null && kept.add(hash));
    main.retainFromLast(hash -> entries.findLive(hash) != null && kept.add(hash));
  }
}
