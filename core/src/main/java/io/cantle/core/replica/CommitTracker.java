package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * How far all writers of the present epoch have come, as far as is known here. At the primary: how
 * far each of the others has, who waits for more, and what the others still have to be told.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; {@link #index} and {@link #isClean} are
 * asked by any thread. What it hands back to be run is run without the lock.
 */
final class CommitTracker {
  private record Waiter(long index, Runnable onCommitted, Runnable onRefused) {}

  private volatile long index;
  private long[] ackedIndexes = new long[0];
  private List<Waiter> waiters = new ArrayList<>();
  private long announcedIndex;
  private long overdueIndex = -1;

  /** What is committed: everything up to this index. */
  long index() {
    return index;
  }

  /** Whether an entry found in a served epoch may be answered from. */
  boolean isClean(Entry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= index;
  }

  /**
   * Begins an epoch. Returns what is to be run for those that wait in vain.
   *
   * @param others how many other writers a primary has, and itself if it counts only what it has on
   *     disk
   */
  List<Runnable> beginEpoch(int others) {
    index = 0;
    announcedIndex = -1;
    overdueIndex = -1;
    ackedIndexes = new long[others];
    return refuseWaiters();
  }

  /** Nothing more will be committed. Returns what is to be run for those that wait in vain. */
  List<Runnable> refuseWaiters() {
    List<Runnable> refused = waiters.stream().map(Waiter::onRefused).toList();
    waiters = new ArrayList<>();
    return refused;
  }

  /** Whether nobody else has to hold what the primary writes. */
  boolean isSoleWriter() {
    return ackedIndexes.length == 0;
  }

  /** One of the others has come so far. Returns how far all have, or -1 if that is no news. */
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

  /** Everything up to an index, which is more than before, is committed: whom it makes run. */
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

  /** Keeps something to be run when an index is committed, or when it never will be. */
  void addWaiter(long awaited, Runnable committed, Runnable refused) {
    waiters.add(new Waiter(awaited, committed, refused));
  }

  /** The others are told what is committed, with a write. Returns that. */
  long announce() {
    announcedIndex = index;
    return index;
  }

  /** What they have to be told that hear of no write; -1 for nothing. */
  long announceIfNew() {
    return isSoleWriter() || announcedIndex >= index ? -1 : announce();
  }

  /** A copy that does not lead waits for nobody. */
  void forgetOverdue() {
    overdueIndex = -1;
  }

  /**
   * Who has not acknowledged writes that were made before the last time this was asked.
   *
   * @param others the other writers
   * @param maxWrites the most writes for each of them
   */
  List<UnacknowledgedWrites> findUnacknowledged(
      ReplicaLog tail, List<Member> others, int maxWrites) {
    long due = overdueIndex;
    overdueIndex = tail.applied();
    if (index >= Math.min(due, tail.applied())) {
      return List.of();
    }
    List<UnacknowledgedWrites> behind = new ArrayList<>();
    for (int place = 0; place < others.size(); place++) {
      long from = ackedIndexes[place];
      if (from < due) {
        behind.add(new UnacknowledgedWrites(others.get(place), tail.writesAfter(from, maxWrites)));
      }
    }
    return behind;
  }
}
