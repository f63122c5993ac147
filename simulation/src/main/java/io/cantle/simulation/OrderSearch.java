package io.cantle.simulation;

import io.cantle.simulation.Linearizability.Verdict;
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
 * One search for an order of the calls on one key; {@link Linearizability} says how it goes.
 *
 * <p><b>Threading:</b> one thread.
 */
final class OrderSearch {
  private static final int NONE = -1;

  private final List<Call> calls;
  private final Origins origins;
  private final OpenChains chains;
  private final boolean everything;
  private final Placing placing;

  // How many calls not placed yet need a value, by its place, and the place of each call's value.
  private final Map<Long, Integer> places = new HashMap<>();
  private final int[] place;
  private final int[] wanted;

  /** How to search. */
  enum Way {
    /** Open calls as chains only, and only those chains that are certain. */
    STRICT,
    /** Open calls as chains only, also as some that there may not be. */
    LOOSE,
    /** Every open call everywhere. */
    EVERYTHING
  }

  /** Some open calls, then one that ended, or none. */
  private record Move(List<Integer> open, int ended) {}

  /** What there is to try after so many calls: first without open calls, then with some. */
  private static final class Choice {
    final int size;
    Iterator<Move> moves;
    boolean withOpen;

    Choice(List<Move> moves, int size) {
      this.moves = moves.iterator();
      this.size = size;
    }
  }

  /** The calls are those that matter, in the order in which they began. */
  OrderSearch(List<Call> calls, Origins origins, Way way) {
    this.calls = calls;
    this.origins = origins;
    chains = new OpenChains(calls, origins, way == Way.LOOSE);
    everything = way == Way.EVERYTHING;
    placing = new Placing(calls);
    place = new int[calls.size()];
    wanted = new int[calls.size()];
    for (int i = 0; i < calls.size(); i++) {
      place[i] =
          !everything && origins.need(i).kind() == Need.Kind.VALUE
              ? places.computeIfAbsent(origins.need(i).value(), value -> places.size())
              : NONE;
      want(i, 1);
    }
  }

  /** Searches for so many steps at most. */
  Verdict run(long maxSteps) {
    Deque<Choice> choices = new ArrayDeque<>();
    placeHarmless();
    for (long step = 0; !placing.complete(); step++) {
      if (step > maxSteps) {
        return Verdict.UNDECIDED;
      }
      if (placing.visit(everything ? placing.state() : chains.told(placing.state()))) {
        choices.push(new Choice(plainMoves(), placing.size()));
      }
      boolean moved = false;
      while (!moved) {
        Choice choice = choices.peek();
        if (choice == null) {
          return Verdict.VIOLATED;
        }
        takeBack(choice.size);
        if (choice.moves.hasNext()) {
          moved = make(choice.moves.next());
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

  private boolean make(Move move) {
    for (int call : move.open) {
      long before = placing.state();
      place(call);
      if (placing.state() == before || isWanted(before)) {
        return false;
      }
    }
    placeHarmless();
    if (move.ended != NONE && !placing.isPlaced(move.ended)) {
      long before = placing.state();
      if (!chains.fits(calls.get(move.ended), before)) {
        return false;
      }
      place(move.ended);
      if (placing.state() != before && isWanted(before)) {
        return false;
      }
      placeHarmless();
    }
    return true;
  }

  /** Places whatever fits and leaves the state as it is. */
  private void placeHarmless() {
    boolean again = true;
    while (again) {
      again = false;
      long limit = placing.firstReturn();
      for (int call = placing.firstCandidate(limit);
          call != NONE;
          call = placing.nextCandidate(call, limit)) {
        Call candidate = calls.get(call);
        long state = placing.state();
        if ((candidate.fate() == Call.Fate.RETURNED || candidate.operation().readOnly())
            && chains.fits(candidate, state)
            && chains.after(candidate, state) == state) {
          place(call);
          again = true;
        }
      }
    }
  }

  private void place(int call) {
    placing.place(call, chains.after(calls.get(call), placing.state()));
    want(call, -1);
  }

  private void takeBack(int size) {
    while (placing.size() > size) {
      want(placing.takeBack(), 1);
    }
  }

  private void want(int call, int more) {
    if (place[call] != NONE) {
      wanted[place[call]] += more;
    }
  }

  /** Whether calls not placed yet need this value; none comes back at any time. */
  private boolean isWanted(long value) {
    if (everything || value == Operation.ABSENT) {
      return false;
    }
    Integer at = places.get(value);
    return at != null && wanted[at] > 0;
  }

  /** The calls that may be next, the most urgent first: those that fit the state, or the others. */
  private List<Integer> candidates(boolean fit) {
    List<Integer> candidates = new ArrayList<>();
    long limit = placing.firstReturn();
    for (int call = placing.firstCandidate(limit);
        call != NONE;
        call = placing.nextCandidate(call, limit)) {
      if (chains.fits(calls.get(call), placing.state()) == fit) {
        candidates.add(call);
      }
    }
    candidates.sort(Comparator.comparingLong(call -> calls.get(call).returned()));
    return candidates;
  }

  private List<Move> plainMoves() {
    List<Move> moves = new ArrayList<>();
    for (int call : candidates(true)) {
      moves.add(new Move(List.of(), call));
    }
    return moves;
  }

  private List<Move> openMoves() {
    List<Move> moves = new ArrayList<>();
    if (everything) {
      addOpen(moves);
    } else {
      addChains(moves, candidates(false));
      addEscapes(moves);
    }
    return moves;
  }

  /**
   * An end fits any state, and what comes of it depends on the state: a value may be gone by then.
   */
  private void addEscapes(List<Move> moves) {
    long state = placing.state();
    for (int call : candidates(true)) {
      Operation operation = calls.get(call).operation();
      if (operation.kind() == Operation.Kind.END && operation.expected() == state) {
        Need another = new Need(Need.Kind.ANOTHER, state);
        for (List<Integer> chain :
            chains.leading(state, another, placing.firstReturn(), placing.openPlaced())) {
          moves.add(new Move(chain, call));
        }
      }
    }
  }

  private void addOpen(List<Move> moves) {
    long limit = placing.firstReturn();
    for (int i = 0; i < calls.size() && calls.get(i).invoked() <= limit; i++) {
      if (calls.get(i).fate() == Call.Fate.OPEN && !placing.isPlaced(i)) {
        moves.add(new Move(List.of(i), NONE));
      }
    }
  }

  private void addChains(List<Move> moves, List<Integer> unfit) {
    long limit = placing.firstReturn();
    // After the chain to what a read needs all others that need it may follow anyway.
    Set<Need> reads = new HashSet<>();
    unfit.stream()
        .filter(call -> calls.get(call).operation().readOnly())
        .forEach(call -> reads.add(origins.need(call)));
    Set<Need> done = new HashSet<>();
    for (int call : unfit) {
      Need need = origins.need(call);
      if (reads.contains(need) && !done.add(need)) {
        continue;
      }
      int ended = reads.contains(need) ? NONE : call;
      for (List<Integer> chain :
          chains.leading(placing.state(), need, limit, placing.openPlaced())) {
        moves.add(new Move(chain, ended));
      }
    }
  }
}
