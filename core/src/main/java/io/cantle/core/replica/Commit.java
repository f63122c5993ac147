package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * How far all writers of the present epoch have come, as far as is known here. At the primary: how
 * far each of the others has, who waits for more, and what the others still have to be told.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; {@link #index} and {@link #clean} are
 * asked by any thread. What it hands back to be run is run without the lock.
 */
final class Commit {
  private record Waiter(long index, Runnable committed, Runnable refused) {}

  private volatile long index;
  private long[] acked = new long[0];
  private List<Waiter> waiters = new ArrayList<>();
  private long announced;
  private long oldDue = -1;

  /** What is committed: everything up to this index. */
  long index() {
    return index;
  }

  /** Whether an entry found in a served epoch may be answered from. */
  boolean clean(Entry entry, int epoch) {
    return entry.epoch() < epoch || entry.index() <= index;
  }

  /**
   * Begins an epoch. Returns what is to be run for those that wait in vain.
   *
   * @param others how many other writers a primary has, and itself if it counts only what it has on
   *     disk
   */
  List<Runnable> begin(int others) {
    index = 0;
    announced = -1;
    oldDue = -1;
    acked = new long[others];
    return refuse();
  }

  /** Nothing more will be committed. Returns what is to be run for those that wait in vain. */
  List<Runnable> refuse() {
    List<Runnable> refused = waiters.stream().map(Waiter::refused).toList();
    waiters = new ArrayList<>();
    return refused;
  }

  /** Whether nobody else has to hold what the primary writes. */
  boolean isAlone() {
    return acked.length == 0;
  }

  /** One of the others has come so far. Returns how far all have, or -1 if that is no news. */
  long acked(int place, long upTo) {
    if (acked[place] >= upTo) {
      return -1;
    }
    acked[place] = upTo;
    long all = upTo;
    for (long one : acked) {
      all = Math.min(all, one);
    }
    return all;
  }

  /** Everything up to an index, which is more than before, is committed: whom it makes run. */
  List<Runnable> advance(long all) {
    index = all;
    if (waiters.isEmpty()) {
      return List.of();
    }
    List<Runnable> due = new ArrayList<>();
    List<Waiter> rest = new ArrayList<>();
    for (Waiter waiter : waiters) {
      if (waiter.index <= all) {
        due.add(waiter.committed);
      } else {
        rest.add(waiter);
      }
    }
    waiters = rest;
    return due;
  }

  /** Keeps something to be run when an index is committed, or when it never will be. */
  void await(long awaited, Runnable committed, Runnable refused) {
    waiters.add(new Waiter(awaited, committed, refused));
  }

  /** The others are told what is committed, with a write. Returns that. */
  long announce() {
    announced = index;
    return index;
  }

  /** What they have to be told that hear of no write; -1 for nothing. */
  long notice() {
    return isAlone() || announced >= index ? -1 : announce();
  }

  /** A copy that does not lead waits for nobody. */
  void nobodyIsBehind() {
    oldDue = -1;
  }

  /**
   * Who has not acknowledged writes that were made before the last time this was asked.
   *
   * @param others the other writers
   * @param maxItems the most writes for each of them
   */
  List<Behind> behind(Tail tail, List<Member> others, int maxItems) {
    long due = oldDue;
    oldDue = tail.applied();
    if (index >= Math.min(due, tail.applied())) {
      return List.of();
    }
    List<Behind> behind = new ArrayList<>();
    for (int place = 0; place < others.size(); place++) {
      long from = acked[place];
      if (from < due) {
        behind.add(new Behind(others.get(place), tail.after(from, maxItems)));
      }
    }
    return behind;
  }
}
