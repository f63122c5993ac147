package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.ReplicaLogSummary.MissingWrites;
import java.util.ArrayList;
import java.util.List;

/**
 * Tracks the commit index of the present epoch, as far as this node knows it. At the primary it
 * also tracks the acknowledgements of the other writers, the listeners that wait for a commit, and
 * what the backups have not been told yet.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica. {@link #index} and {@link #isClean} may
 * be called by any thread.
 */
final class CommitTracker {
  private record PendingListener(long index, CommitListener listener) {}

  private volatile long index;
  private long[] ackedIndexes = new long[0];
  private final List<PendingListener> listeners = new ArrayList<>();
  private final EffectQueue<ReplicaEffect> effects;
  private long announcedIndex;
  private long overdueIndex = -1;

  /** The index up to which the epoch is on disk here, if that matters. */
  private long onDiskIndex;

  CommitTracker(EffectQueue<ReplicaEffect> effects) {
    this.effects = effects;
  }

  /** The commit index: every write up to it is committed. */
  long index() {
    return index;
  }

  /** Whether an entry found in a served epoch may be returned to a caller. */
  boolean isClean(Entry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= index;
  }

  /**
   * Begins an epoch, and refuses all listeners, whose writes will not be committed in their epoch.
   *
   * @param others the number of other writers a primary has, plus one for itself if its own writes
   *     count only once they are on disk
   */
  void beginEpoch(int others) {
    index = 0;
    announcedIndex = -1;
    overdueIndex = -1;
    onDiskIndex = 0;
    ackedIndexes = new long[others];
    refuseListeners();
  }

  /** Refuses all listeners, because nothing more will be committed. */
  void refuseListeners() {
    listeners.removeIf(pending -> settle(pending, false));
  }

  /** Notes that this node has the writes up to an index on disk. */
  void recordOnDisk(long upTo) {
    onDiskIndex = Math.max(onDiskIndex, upTo);
  }

  /** The index up to which this node has the writes of the epoch on disk. */
  long onDiskIndex() {
    return onDiskIndex;
  }

  /** Whether no other node has to hold what the primary writes. */
  boolean isSoleWriter() {
    return ackedIndexes.length == 0;
  }

  /**
   * Records that one other writer has applied writes up to an index. Returns the lowest index of
   * all other writers, or -1 if this acknowledgement is not new.
   */
  long recordAck(int place, long upTo) {
    if (ackedIndexes[place] >= upTo) {
      return -1;
    }
    ackedIndexes[place] = upTo;
    long minIndex = upTo;
    for (long ackedIndex : ackedIndexes) {
      minIndex = Math.min(minIndex, ackedIndex);
    }
    return minIndex;
  }

  /** Advances the commit index to a higher one, and tells the listeners that are due. */
  void advanceTo(long minIndex) {
    index = minIndex;
    if (!listeners.isEmpty()) {
      listeners.removeIf(pending -> pending.index <= minIndex && settle(pending, true));
    }
  }

  private boolean settle(PendingListener pending, boolean isCommitted) {
    effects.add(new ReplicaEffect.TellListener(pending.listener, isCommitted));
    return true;
  }

  /**
   * Adds a listener to tell when an index of an epoch is committed, or when it never will be.
   *
   * @param isPresentEpoch whether the epoch is not over
   * @return whether it waits; otherwise it is told by the effects of this step
   */
  boolean addListener(boolean isPresentEpoch, long awaited, CommitListener listener) {
    boolean waits = isPresentEpoch && awaited > index;
    if (waits) {
      listeners.add(new PendingListener(awaited, listener));
    } else {
      effects.add(new ReplicaEffect.TellListener(listener, isPresentEpoch));
    }
    return waits;
  }

  /** Notes that the commit index is sent with a write, and returns it. */
  long announce() {
    announcedIndex = index;
    return index;
  }

  /** The commit index to send to backups that receive no write; -1 if there is nothing to send. */
  long announceIfNew() {
    return isSoleWriter() || announcedIndex >= index ? -1 : announce();
  }

  /**
   * Finds the writers that have not acknowledged writes made before the previous call.
   *
   * @param maxWrites the most writes to return for each of them
   */
  List<MissingWrites> findUnacknowledged(ReplicaLog log, ReplicaState state, int maxWrites) {
    long due = overdueIndex;
    overdueIndex = log.applied();
    if (index >= Math.min(due, log.applied())) {
      return List.of();
    }
    List<MissingWrites> unacknowledged = new ArrayList<>();
    for (int place = 0; place < state.others().size(); place++) {
      long from = ackedIndexes[place];
      if (from < due) {
        List<OrderedWrite> writes = log.writesAfter(from, maxWrites);
        unacknowledged.add(new MissingWrites(state.others().get(place), state.epoch(), writes));
      }
    }
    return unacknowledged;
  }
}
