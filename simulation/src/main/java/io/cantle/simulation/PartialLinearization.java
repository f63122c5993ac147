package io.cantle.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A partial order of calls: which are placed, which may be next, and what was tried.
 *
 * <p>If two orders have placed the same ended calls and left the same state, the one that used
 * fewer open calls can do all that the other can. So the search visits such a point again only with
 * open calls that none of the earlier visits has left over.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PartialLinearization {
  private final int count;
  private final long[] invoked;
  private final long[] returned;

  // A doubly linked list of the ended calls that are not placed, in the order they began. The
  // last node is head and tail.
  private final int[] next;
  private final int[] previous;

  private final BitSet placedSet = new BitSet();
  private final BitSet openSet = new BitSet();
  private final BitSet openPlaced = new BitSet();
  private final int[] journal;
  private final long[] statesBefore;
  private long state = MapOperation.ABSENT;
  private int size;
  private final Map<VisitedState, List<BitSet>> visits = new HashMap<>();

  private record VisitedState(long reportedResults, int first, BitSet nextVisit) {}

  /** Creates an empty order of calls, which are given in the order they began. */
  PartialLinearization(List<ClientCall> calls) {
    count = calls.size();
    invoked = calls.stream().mapToLong(ClientCall::invoked).toArray();
    returned = calls.stream().mapToLong(ClientCall::returnedAt).toArray();
    journal = new int[count];
    statesBefore = new long[count];
    next = new int[count + 1];
    previous = new int[count + 1];
    int last = count;
    for (int i = 0; i < count; i++) {
      if (calls.get(i).fate() == ClientCall.CallOutcome.OPEN) {
        openSet.set(i);
      } else {
        next[last] = i;
        previous[i] = last;
        last = i;
      }
    }
    next[last] = count;
    previous[count] = last;
  }

  /** Returns whether every ended call is placed. */
  boolean isComplete() {
    return next[count] == count;
  }

  /**
   * Returns the first return of a call that is not placed. A call that began later cannot be next.
   */
  long firstReturn() {
    long first = Long.MAX_VALUE;
    for (int call = next[count]; call < count && invoked[call] <= first; call = next[call]) {
      first = Math.min(first, returned[call]);
    }
    return first;
  }

  /**
   * Returns the first to begin of the ended calls that may be next in time.
   *
   * @param limit the {@link #firstReturn}
   * @return -1 if there is none
   */
  int firstCandidate(long limit) {
    return nextCandidateFrom(next[count], limit);
  }

  /**
   * Returns the candidate that began after this one, which may have been placed meanwhile; -1 for
   * none.
   */
  int nextCandidate(int call, long limit) {
    return nextCandidateFrom(next[call], limit);
  }

  private int nextCandidateFrom(int call, long limit) {
    return call < count && invoked[call] <= limit ? call : -1;
  }

  /** Returns the open calls that are placed. */
  BitSet openPlacedSet() {
    return openPlaced;
  }

  boolean isPlaced(int call) {
    return placedSet.get(call) || openPlaced.get(call);
  }

  /** Returns how many calls are placed. */
  int size() {
    return size;
  }

  /** Returns the state after the placed calls. */
  long state() {
    return state;
  }

  /** Places a call that leaves a state. */
  void placeCall(int call, long after) {
    statesBefore[size] = state;
    journal[size++] = call;
    state = after;
    if (openSet.get(call)) {
      openPlaced.set(call);
    } else {
      placedSet.set(call);
      next[previous[call]] = next[call];
      previous[next[call]] = previous[call];
    }
  }

  /** Takes the last call back, and returns which one it was. */
  int undo() {
    int call = journal[--size];
    state = statesBefore[size];
    if (openSet.get(call)) {
      openPlaced.clear(call);
    } else {
      placedSet.clear(call);
      next[previous[call]] = call;
      previous[next[call]] = call;
    }
    return call;
  }

  /**
   * Returns whether this point is worth visiting. States that are reported alike count as the same.
   */
  boolean visitState(long told) {
    int first = next[count];
    BitSet more = placedSet.get(first, count);
    List<BitSet> earlier =
        visits.computeIfAbsent(new VisitedState(told, first, more), same -> new ArrayList<>());
    for (BitSet used : earlier) {
      if (contains(openPlaced, used)) {
        return false;
      }
    }
    earlier.add((BitSet) openPlaced.clone());
    return true;
  }

  private static boolean contains(BitSet all, BitSet subset) {
    for (int i = subset.nextSetBit(0); i >= 0; i = subset.nextSetBit(i + 1)) {
      if (!all.get(i)) {
        return false;
      }
    }
    return true;
  }
}
