package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * Tracks the commit index of the present epoch, as far as this node knows it. At the primary it
 * also tracks the acknowledgements of the other writers, the tasks that wait for a commit, and what
 * the backups have not been told yet.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica. {@link #index} and {@link #isClean} may
 * be called by any thread. The tasks it returns are run without the lock.
 */
final class CommitTracker {
  private record Waiter(long index, Runnable onCommitted, Runnable onRefused) {}

  private volatile long index;
  private long[] ackedIndexes = new long[0];
  private List<Waiter> waiters = new ArrayList<>();
  private long announcedIndex;
  private long overdueIndex = -1;

  /** The commit index: every write up to it is committed. */
  long index() {
    return index;
  }

  /** Whether an entry found in a served epoch may be returned to a caller. */
  boolean isClean(Entry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= index;
  }

  /**
   * Begins an epoch. Returns the tasks to run for waiters whose write will not be committed.
   *
   * @param others the number of other writers a primary has, plus one for itself if its own writes
   *     count only once they are on disk
   */
  List<Runnable> beginEpoch(int others) {
    index = 0;
    announcedIndex = -1;
    overdueIndex = -1;
    ackedIndexes = new long[others];
    return refuseWaiters();
  }

  /**
   * Refuses all waiters, because nothing more will be committed. Returns the tasks to run for them.
   */
  List<Runnable> refuseWaiters() {
    List<Runnable> refused = waiters.stream().map(Waiter::onRefused).toList();
    waiters = new ArrayList<>();
    return refused;
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

  /** Advances the commit index to a higher one. Returns the tasks that are due. */
  List<Runnable> advanceTo(long minIndex) {
    index = minIndex;
    if (waiters.isEmpty()) {
      return List.of();
    }
    List<Runnable> due = new ArrayList<>();
    List<Waiter> rest = new ArrayList<>();
    for (Waiter waiter : waiters) {
      if (waiter.index <= minIndex) {
        due.add(waiter.onCommitted);
      } else {
        rest.add(waiter);
      }
    }
    waiters = rest;
    return due;
  }

  /** Adds tasks to run when an index is committed, or when it never will be. */
  void addWaiter(long awaited, Runnable committed, Runnable refused) {
    waiters.add(new Waiter(awaited, committed, refused));
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

  /** Forgets what was overdue: a replica that is not the primary waits for no writer. */
  void forgetOverdue() {
    overdueIndex = -1;
  }

  /**
   * Finds the writers that have not acknowledged writes made before the previous call.
   *
   * @param others the other writers
   * @param maxWrites the most writes to return for each of them
   */
  List<UnacknowledgedWrites> findUnacknowledged(
      ReplicaLog log, List<Member> others, int maxWrites) {
    long due = overdueIndex;
    overdueIndex = log.applied();
    if (index >= Math.min(due, log.applied())) {
      return List.of();
    }
    List<UnacknowledgedWrites> unacknowledged = new ArrayList<>();
    for (int place = 0; place < others.size(); place++) {
      long from = ackedIndexes[place];
      if (from < due) {
        unacknowledged.add(
            new UnacknowledgedWrites(others.get(place), log.writesAfter(from, maxWrites)));
      }
    }
    return unacknowledged;
  }
}
