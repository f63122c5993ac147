package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides whether the calls on one key can be put into one order that respects what came after what
 * and that the sequential map would have answered the same way.
 *
 * <p>The search is that of Wing and Gong with Lowe's memory of visited pairs of (calls placed,
 * state). Calls and returns lie in one list by moment; whatever was invoked before the first return
 * may be next. Two facts keep it small. A call that fits and leaves the state as it is can be
 * placed at once, without ever coming back to that choice: any order that works with it later works
 * with it now. And a call whose fate is open returns after everything else and fits anywhere, so it
 * never stands in the way.
 *
 * <p>As an open call can always be placed later, a first search places one only where a call that
 * did return fits behind it, or behind it and a few more, and would not fit without. That finds
 * nearly every order there is, however many calls are open; only when it finds none, all places are
 * tried.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Linearizability {
  private static final int LIST_END = -1;
  private static final long SHOWN_AFTER = 30;

  /** How many open calls the first search places in a row. */
  private static final int LONGEST_CHAIN = 5;

  private final List<Call> calls;
  private final long maxSteps;
  private final boolean lazily;

  // A doubly linked list of 2n+1 nodes: 0 is the head, 1..n the invocations, n+1..2n the returns.
  private final int[] next;
  private final int[] previous;

  private final long[] placed;
  private final Set<Visit> visits = new HashSet<>();

  // The calls placed, in order, with the state before each and whether the choice was free.
  private final int[] placedCalls;
  private final long[] statesBefore;
  private final boolean[] forced;
  private int depth;

  private Verdict verdict = Verdict.UNDECIDED;
  private long farthest;

  /** What the search found. */
  enum Verdict {
    /** There is such an order. */
    LINEARIZABLE,
    /** There is none. */
    VIOLATED,
    /** The search was given up. */
    UNDECIDED
  }

  private record Visit(long state, long[] placed) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Visit visit
          && visit.state == state
          && Arrays.equals(visit.placed, placed);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(placed) * 31 + Long.hashCode(state);
    }
  }

  private Linearizability(List<Call> calls, long maxSteps, boolean lazily) {
    this.calls = calls;
    this.maxSteps = maxSteps;
    this.lazily = lazily;
    int count = calls.size();
    next = new int[2 * count + 1];
    previous = new int[2 * count + 1];
    placed = new long[(count + 63) / 64];
    placedCalls = new int[count];
    statesBefore = new long[count];
    forced = new boolean[count];
    link();
  }

  /** Judges the calls on one key that was absent at first. */
  static Verdict check(List<Call> calls, long maxSteps) {
    return searched(calls, maxSteps).verdict;
  }

  /** The calls up to a little after the first return no order gets past, for people. */
  static String explain(List<Call> calls, long maxSteps) {
    Linearizability search = searched(calls, maxSteps);
    StringBuilder text = new StringBuilder("no order gets past moment " + search.farthest);
    for (Call call : search.calls) {
      if (call.invoked() <= search.farthest + SHOWN_AFTER) {
        text.append(call.returned() == search.farthest ? "\n> " : "\n  ").append(call);
      }
    }
    return text.toString();
  }

  private static Linearizability searched(List<Call> calls, long maxSteps) {
    List<Call> relevant =
        calls.stream()
            .filter(Call::matters)
            .sorted(Comparator.comparingLong(Call::invoked))
            .toList();
    Linearizability search = new Linearizability(relevant, maxSteps, true);
    search.verdict = search.search();
    if (search.verdict != Verdict.LINEARIZABLE && search.anyOpen()) {
      Linearizability lazy = search;
      search = new Linearizability(relevant, maxSteps, false);
      search.verdict = search.search();
      if (search.verdict == Verdict.UNDECIDED) {
        // Where the first search ended is nearer to what is wrong.
        search.farthest = lazy.farthest;
      }
    }
    return search;
  }

  private Verdict search() {
    long state = Operation.ABSENT;
    int node = next[0];
    for (long step = 0; node != LIST_END; step++) {
      if (step > maxSteps) {
        return Verdict.UNDECIDED;
      }
      if (node <= calls.size()) {
        int call = node - 1;
        Call candidate = calls.get(call);
        long after = candidate.operation().next(state);
        if (candidate.fits(state)
            && (!lazily || !isOpen(candidate) || isWanted(state, after, node))
            && place(call, state, after, candidate)) {
          state = after;
          node = next[0];
        } else {
          node = next[node];
        }
      } else if (isOpen(calls.get(node - 1 - calls.size()))) {
        // Everything that returned has its place; what is open may never have happened.
        return Verdict.LINEARIZABLE;
      } else {
        farthest = Math.max(farthest, moment(node));
        // Something returned that could not be placed: the last free choice was wrong.
        while (depth > 0 && forced[depth - 1]) {
          takeBack();
        }
        if (depth == 0) {
          return Verdict.VIOLATED;
        }
        state = statesBefore[depth - 1];
        node = next[takeBack() + 1];
      }
    }
    return Verdict.LINEARIZABLE;
  }

  private static boolean isOpen(Call call) {
    return call.fate() == Call.Fate.OPEN;
  }

  private boolean anyOpen() {
    return calls.stream().anyMatch(Linearizability::isOpen);
  }

  /** Whether some call that returned fits behind an open one, or behind it and a few more only. */
  private boolean isWanted(long state, long after, int open) {
    return after != state && enables(state, after, open, LONGEST_CHAIN - 1);
  }

  private boolean enables(long state, long after, int last, int more) {
    for (int node = next[0]; node != LIST_END && node <= calls.size(); node = next[node]) {
      Call call = calls.get(node - 1);
      if (!isOpen(call)) {
        if (!call.fits(state) && call.fits(after)) {
          return true;
        }
      } else if (more > 0 && node != last) {
        long then = call.operation().next(after);
        // What the next does without the ones before it needs none of them.
        if (then != after
            && then != call.operation().next(state)
            && enables(state, then, node, more - 1)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean place(int call, long state, long after, Call candidate) {
    boolean harmless = after == state && candidate.fate() == Call.Fate.RETURNED;
    placed[call >> 6] |= 1L << call;
    if (!harmless && !visits.add(new Visit(after, placed.clone()))) {
      placed[call >> 6] &= ~(1L << call);
      return false;
    }
    placedCalls[depth] = call;
    statesBefore[depth] = state;
    forced[depth] = harmless;
    depth++;
    unlink(call + 1);
    unlink(call + 1 + calls.size());
    return true;
  }

  private int takeBack() {
    depth--;
    int call = placedCalls[depth];
    placed[call >> 6] &= ~(1L << call);
    relink(call + 1 + calls.size());
    relink(call + 1);
    return call;
  }

  private void link() {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 1; node <= 2 * calls.size(); node++) {
      nodes.add(node);
    }
    nodes.sort(Comparator.comparingLong(this::moment).thenComparing(node -> node));
    int last = 0;
    for (int node : nodes) {
      next[last] = node;
      previous[node] = last;
      last = node;
    }
    next[last] = LIST_END;
  }

  private long moment(int node) {
    return node <= calls.size()
        ? calls.get(node - 1).invoked()
        : calls.get(node - 1 - calls.size()).returned();
  }

  private void unlink(int node) {
    next[previous[node]] = next[node];
    if (next[node] != LIST_END) {
      previous[next[node]] = previous[node];
    }
  }

  private void relink(int node) {
    next[previous[node]] = node;
    if (next[node] != LIST_END) {
      previous[next[node]] = node;
    }
  }
}
