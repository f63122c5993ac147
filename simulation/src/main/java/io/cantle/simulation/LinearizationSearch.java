package io.cantle.simulation;

import io.cantle.simulation.LinearizabilityChecker.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One search for an order of the calls on one key. {@link LinearizabilityChecker} describes the
 * algorithm.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LinearizationSearch {
  private static final int NONE = -1;

  private final List<ClientCall> calls;
  private final ValueOrigins origins;
  private final OpenCallChains chains;
  private final boolean exhaustive;
  private final PartialLinearization ordering;

  // How many calls not yet placed need a value, by its position, and the position of each call's
  // value.
  private final Map<Long, Integer> positions = new HashMap<>();
  private final int[] position;
  private final int[] wanted;

  /** How to treat open calls in a search. */
  enum SearchMode {
    /** Open calls are tried only as chains, and only as chains that are certain to exist. */
    STRICT,
    /** Open calls are tried only as chains, including some that may not exist. */
    LOOSE,
    /** Every open call is tried everywhere. */
    EVERYTHING
  }

  /** A step of the search: some open calls, then one ended call or none. */
  private record SearchMove(List<Integer> open, int ended) {}

  /**
   * The moves to try after a number of placed calls: first those without open calls, then those
   * with some.
   */
  private static final class ChoicePoint {
    final int size;
    Iterator<SearchMove> moves;
    boolean withOpen;

    ChoicePoint(List<SearchMove> moves, int size) {
      this.moves = moves.iterator();
      this.size = size;
    }
  }

  /** Creates a search over the relevant calls, in the order in which they began. */
  LinearizationSearch(List<ClientCall> calls, ValueOrigins origins, SearchMode way) {
    this.calls = calls;
    this.origins = origins;
    chains = new OpenCallChains(calls, origins, way == SearchMode.LOOSE);
    exhaustive = way == SearchMode.EVERYTHING;
    ordering = new PartialLinearization(calls);
    position = new int[calls.size()];
    wanted = new int[calls.size()];
    for (int i = 0; i < calls.size(); i++) {
      position[i] =
          !exhaustive && origins.preconditionOf(i).kind() == StatePrecondition.Kind.VALUE
              ? positions.computeIfAbsent(
                  origins.preconditionOf(i).requiredValue(), value -> positions.size())
              : NONE;
      countWanted(i, 1);
    }
  }

  /** Runs the search for at most this many steps. */
  Verdict run(long maxSteps) {
    Deque<ChoicePoint> choices = new ArrayDeque<>();
    placeHarmless();
    for (long step = 0; !ordering.isComplete(); step++) {
      if (step > maxSteps) {
        return Verdict.UNDECIDED;
      }
      if (ordering.visitState(
          exhaustive ? ordering.state() : chains.canonicalState(ordering.state()))) {
        choices.push(new ChoicePoint(plainMoves(), ordering.size()));
      }
      boolean moved = false;
      while (!moved) {
        ChoicePoint choice = choices.peek();
        if (choice == null) {
          return Verdict.VIOLATED;
        }
        undoTo(choice.size);
        if (choice.moves.hasNext()) {
          moved = applyMove(choice.moves.next());
        } else if (!choice.withOpen) {
          choice.withOpen = true;
          choice.moves = openMoves().iterator();
        } else {
          choices.pop();
        }
      }
    }
    return Verdict.LINEARIZABLE;
  }

  private boolean applyMove(SearchMove move) {
    for (int call : move.open) {
      long before = ordering.state();
      placeCall(call);
      if (ordering.state() == before || isWanted(before)) {
        return false;
      }
    }
    placeHarmless();
    if (move.ended != NONE && !ordering.isPlaced(move.ended)) {
      long before = ordering.state();
      if (!chains.isPossibleIn(calls.get(move.ended), before)) {
        return false;
      }
      placeCall(move.ended);
      if (ordering.state() != before && isWanted(before)) {
        return false;
      }
      placeHarmless();
    }
    return true;
  }

  /** Places every call that fits and does not change the state. */
  private void placeHarmless() {
    boolean again = true;
    while (again) {
      again = false;
      long limit = ordering.firstReturn();
      for (int call = ordering.firstCandidate(limit);
          call != NONE;
          call = ordering.nextCandidate(call, limit)) {
        ClientCall candidate = calls.get(call);
        long state = ordering.state();
        if ((candidate.fate() == ClientCall.CallOutcome.RETURNED
                || candidate.operation().isReadOnly())
            && chains.isPossibleIn(candidate, state)
            && chains.stateAfter(candidate, state) == state) {
          placeCall(call);
          again = true;
        }
      }
    }
  }

  private void placeCall(int call) {
    ordering.placeCall(call, chains.stateAfter(calls.get(call), ordering.state()));
    countWanted(call, -1);
  }

  private void undoTo(int size) {
    while (ordering.size() > size) {
      countWanted(ordering.undo(), 1);
    }
  }

  private void countWanted(int call, int more) {
    if (position[call] != NONE) {
      wanted[position[call]] += more;
    }
  }

  /** Returns whether calls not yet placed need this value. Once gone, a value never comes back. */
  private boolean isWanted(long value) {
    if (exhaustive || value == MapOperation.ABSENT) {
      return false;
    }
    Integer at = positions.get(value);
    return at != null && wanted[at] > 0;
  }

  /**
   * Returns the calls that may be next, the most urgent first: those that fit the state, or the
   * others.
   */
  private List<Integer> fittingCandidates(boolean fit) {
    List<Integer> candidates = new ArrayList<>();
    long limit = ordering.firstReturn();
    for (int call = ordering.firstCandidate(limit);
        call != NONE;
        call = ordering.nextCandidate(call, limit)) {
      if (chains.isPossibleIn(calls.get(call), ordering.state()) == fit) {
        candidates.add(call);
      }
    }
    candidates.sort(Comparator.comparingLong(call -> calls.get(call).returnedAt()));
    return candidates;
  }

  private List<SearchMove> plainMoves() {
    List<SearchMove> moves = new ArrayList<>();
    for (int call : fittingCandidates(true)) {
      moves.add(new SearchMove(List.of(), call));
    }
    return moves;
  }

  private List<SearchMove> openMoves() {
    List<SearchMove> moves = new ArrayList<>();
    if (exhaustive) {
      addOpen(moves);
    } else {
      addChains(moves, fittingCandidates(false));
      addEscapes(moves);
    }
    return moves;
  }

  /**
   * Adds the moves that expire the value. An expiry fits any state, and its effect depends on the
   * state: a value may be gone by then.
   */
  private void addEscapes(List<SearchMove> moves) {
    long state = ordering.state();
    for (int call : fittingCandidates(true)) {
      MapOperation operation = calls.get(call).operation();
      if (operation.kind() == MapOperation.Kind.END && operation.expected() == state) {
        StatePrecondition another = new StatePrecondition(StatePrecondition.Kind.ANOTHER, state);
        for (List<Integer> chain :
            chains.chainsLeading(
                state, another, ordering.firstReturn(), ordering.openPlacedSet())) {
          moves.add(new SearchMove(chain, call));
        }
      }
    }
  }

  private void addOpen(List<SearchMove> moves) {
    long limit = ordering.firstReturn();
    for (int i = 0; i < calls.size() && calls.get(i).invoked() <= limit; i++) {
      if (calls.get(i).fate() == ClientCall.CallOutcome.OPEN && !ordering.isPlaced(i)) {
        moves.add(new SearchMove(List.of(i), NONE));
      }
    }
  }

  private void addChains(List<SearchMove> moves, List<Integer> unfit) {
    long limit = ordering.firstReturn();
    // After the chain to what one read needs, all other reads with the same need may follow
    // anyway.
    Set<StatePrecondition> reads = new HashSet<>();
    unfit.stream()
        .filter(call -> calls.get(call).operation().isReadOnly())
        .forEach(call -> reads.add(origins.preconditionOf(call)));
    Set<StatePrecondition> done = new HashSet<>();
    for (int call : unfit) {
      StatePrecondition need = origins.preconditionOf(call);
      if (reads.contains(need) && !done.add(need)) {
        continue;
      }
      int ended = reads.contains(need) ? NONE : call;
      for (List<Integer> chain :
          chains.chainsLeading(ordering.state(), need, limit, ordering.openPlacedSet())) {
        moves.add(new SearchMove(chain, ended));
      }
    }
  }
}
