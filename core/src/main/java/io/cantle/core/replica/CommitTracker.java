package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.container.InPlaceEntry;
import io.cantle.core.replica.ReplicaLogSummary.MissingWrites;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  private WriteRoute everywhere = new WriteRoute(List.of(), null);

  /** Which holder has which write, at the primary of a scattered segment; else null. */
  private @Nullable CopyAssignments assignments;

  CommitTracker(EffectQueue<ReplicaEffect> effects) {
    this.effects = effects;
  }

  /** The commit index: every write up to it is committed. */
  long index() {
    return index;
  }

  /** Whether an entry found in a served epoch may be returned to a caller. */
  boolean isClean(InPlaceEntry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= index;
  }

  /**
   * Begins an epoch, and refuses all listeners, whose writes will not be committed in their epoch.
   *
   * @param state what the replica is in the epoch
   * @param awaitsOwnDisk whether writes of the primary itself count only once they are on disk
   */
  void beginEpoch(ReplicaState state, boolean awaitsOwnDisk) {
    index = 0;
    everywhere = new WriteRoute(state.others(), null);
    assignments = state.isScattered() ? new CopyAssignments(state.others()) : null;
    announcedIndex = -1;
    overdueIndex = -1;
    onDiskIndex = 0;
    ackedIndexes = new long[state.others().size() + (awaitsOwnDisk ? 1 : 0)];
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
   * Decides where a write goes that is applied next. Called once for each write.
   *
   * @param copies who holds the second copies of a scattered segment
   * @param log the writes before it
   */
  WriteRoute route(OrderedWrite write, ReplicaCopies copies, ReplicaLog log) {
    CopyAssignments scattered = assignments;
    if (scattered == null) {
      return everywhere;
    }
    Entry entry = write instanceof OrderedWrite.EntryWrite one ? one.entry() : null;
    Member origin =
        write instanceof OrderedWrite.CommandWrite command ? command.command().origin() : null;
    Member holder = scattered.choose(origin, entry == null ? null : copies.holderOf(entry));
    copies.beginWrite(write, holder);
    if (holder == null) {
      return everywhere;
    }
    List<CopyChain.ReplacedCommand> replaced =
        entry == null || index + 1 == write.index() ? List.of() : log.uncommittedCommands(entry);
    return new WriteRoute(List.of(holder), scattered.assign(write.index(), holder, replaced));
  }

  /** What goes with a write that is sent once more. */
  @Nullable CopyChain chainOf(long writeIndex) {
    return assignments == null ? null : assignments.chainOf(writeIndex);
  }

  /** The other writers that have not acknowledged all they were sent. */
  List<Member> awaitedWriters(ReplicaState state) {
    CopyAssignments scattered = assignments;
    return scattered == null ? state.others() : scattered.unacknowledgedHolders();
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
    if (assignments != null) {
      return assignments.acknowledge(place, upTo);
    }
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
    return isSoleWriter() || assignments != null || announcedIndex >= index ? -1 : announce();
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
    CopyAssignments scattered = assignments;
    if (scattered != null) {
      for (int place = 0; place < state.others().size(); place++) {
        List<OrderedWrite> overdue = scattered.overdueWrites(place, due, maxWrites, log);
        if (!overdue.isEmpty()) {
          unacknowledged.add(new MissingWrites(state.others().get(place), state.epoch(), overdue));
        }
      }
      return unacknowledged;
    }
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
