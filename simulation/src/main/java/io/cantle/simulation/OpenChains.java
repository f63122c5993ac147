package io.cantle.simulation;

import io.cantle.simulation.Need.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The ways open calls can bring about what a call that ended needs: chains of open calls of which
 * none could be left out. They are found backwards, from the value needed to the call that writes
 * it to what that call needs.
 *
 * <p>Calls that do the same and whose values nobody names stand in for each other: only the first
 * of them is tried. What becomes of a value nobody names by a join is not followed; with {@code
 * loosely}, it may be any, {@link #UNTOLD}, and so what {@link Operation.Kind#COMPUTE} removes as
 * well as what it joins. Then there are more ways than there are in truth, otherwise fewer.
 *
 * <p><b>Threading:</b> one thread.
 */
final class OpenChains {
  /** A value nobody names, made by a join. */
  static final long UNTOLD = -1;

  private final List<Call> calls;
  private final Origins origins;
  private final boolean loosely;
  private final List<Integer> open = new ArrayList<>();
  private final List<Object> roles = new ArrayList<>();

  // For one question: which open calls are placed or spoken for, and which began early enough.
  private final BitSet taken = new BitSet();
  private long limit;

  // Whether none may be passed through; not on the way to none.
  private boolean passingNone;

  /** What calls that stand in for each other have in common. */
  private record Role(Operation.Kind kind, long expected, boolean removable) {}

  OpenChains(List<Call> calls, Origins origins, boolean loosely) {
    this.calls = calls;
    this.origins = origins;
    this.loosely = loosely;
    for (int i = 0; i < calls.size(); i++) {
      Call call = calls.get(i);
      if (call.fate() == Call.Fate.OPEN) {
        open.add(i);
        roles.add(role(i, call.operation()));
      }
    }
  }

  private Object role(int call, Operation operation) {
    boolean named = operation.hasValue() && origins.isNamed(operation.value());
    return named || origins.isOfNote(call)
        ? call
        : new Role(
            operation.kind(),
            operation.isConditional() ? operation.expected() : Operation.ABSENT,
            operation.hasValue() && isRemovable(operation.value()));
  }

  /** The state after a call. */
  long after(Call call, long state) {
    Operation operation = call.operation();
    if (state == UNTOLD && operation.kind() == Operation.Kind.COMPUTE) {
      // Only ever placed for the sake of removing it.
      return Operation.ABSENT;
    }
    long after = operation.next(state);
    return loosely && operation.mayJoin() && Operation.isJoined(after) && !origins.isNamed(after)
        ? UNTOLD
        : after;
  }

  /** Whether a call that ended may be next. */
  boolean fits(Call call, long state) {
    return call.fits(state)
        || (state == UNTOLD
            && call.operation().kind() == Operation.Kind.COMPUTE
            && call.result() == Operation.ABSENT);
  }

  /** The state as far as anybody can tell it from others. */
  long told(long state) {
    if (state == Operation.ABSENT || state == UNTOLD || origins.isNamed(state)) {
      return state;
    }
    return isRemovable(state) ? UNTOLD - 1 : UNTOLD - 2;
  }

  /**
   * The chains that lead from a state to what is needed.
   *
   * @param limit how late an open call may have begun
   * @param placed open calls that are not free any more
   */
  List<List<Integer>> leading(long state, Need need, long limit, BitSet placed) {
    this.limit = limit;
    taken.clear();
    taken.or(placed);
    passingNone = true;
    return to(need, state);
  }

  private List<List<Integer>> to(Need need, long state) {
    return switch (need.kind()) {
      case VALUE -> need.value() == Operation.ABSENT ? toNone(state) : toValue(need.value(), state);
      case SOME_VALUE, ANOTHER -> effective(state);
      case REMOVABLE -> toRemovable(state);
      case NOTHING, IMPOSSIBLE -> List.of();
    };
  }

  /** One call, whichever, that changes the state. */
  private List<List<Integer>> effective(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      if (after(calls.get(call), state) != state) {
        chains.add(List.of(call));
      }
    }
    return chains;
  }

  private List<List<Integer>> toNone(long state) {
    if (!passingNone) {
      return List.of();
    }
    passingNone = false;
    List<List<Integer>> chains = removals(state);
    passingNone = true;
    return chains;
  }

  private List<List<Integer>> removals(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      Operation operation = calls.get(call).operation();
      switch (operation.kind()) {
        case REMOVE -> chains.add(List.of(call));
        case REMOVE_IF -> {
          if (operation.expected() == state) {
            // The value never comes back, so this is the last use there is for the call.
            return List.of(List.of(call));
          }
          extend(chains, Need.value(operation.expected()), state, call);
        }
        case COMPUTE -> {
          if (after(calls.get(call), state) == Operation.ABSENT) {
            chains.add(List.of(call));
          } else {
            extend(chains, new Need(Kind.REMOVABLE, Operation.ABSENT), state, call);
          }
        }
        default -> {}
      }
    }
    return chains;
  }

  private List<List<Integer>> toValue(long value, long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (Origins.Step step : origins.steps(value)) {
      if (isFree(step.call())) {
        extend(chains, Need.value(step.before()), state, step.call());
      }
    }
    int writer = origins.writer(value);
    if (writer >= 0 && isFree(writer)) {
      extend(chains, beforeWriting(calls.get(writer).operation()), state, writer);
    }
    return chains;
  }

  /** What an open call needs to write its own value. */
  private static Need beforeWriting(Operation operation) {
    return switch (operation.kind()) {
      case PUT -> Need.NOTHING;
      case REPLACE -> new Need(Kind.SOME_VALUE, Operation.ABSENT);
      case REPLACE_IF -> Need.value(operation.expected());
      default -> Need.NO_VALUE;
    };
  }

  private List<List<Integer>> toRemovable(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      if (removes(after(calls.get(call), state))) {
        chains.add(List.of(call));
        continue;
      }
      Operation operation = calls.get(call).operation();
      if (operation.hasValue() && isRemovable(operation.value())) {
        extend(chains, beforeWriting(operation), state, call);
      }
      if (operation.mayJoin()) {
        joinOther(chains, state, call, List.of());
      }
    }
    return chains;
  }

  /** Chains of one or two calls to another value, which a join makes a removable one of. */
  private void joinOther(List<List<Integer>> chains, long state, int join, List<Integer> before) {
    taken.set(join);
    for (int call : candidates()) {
      long after = after(calls.get(call), state);
      if (after == state) {
        continue;
      }
      List<Integer> chain = new ArrayList<>(before);
      chain.add(call);
      if (after != Operation.ABSENT && removes(after(calls.get(join), after))) {
        chain.add(join);
        chains.add(chain);
      } else if (before.isEmpty()) {
        taken.set(call);
        joinOther(chains, after, join, chain);
        taken.clear(call);
      }
    }
    taken.clear(join);
  }

  /** Adds the chains to what a call needs, with the call at their end. */
  private void extend(List<List<Integer>> chains, Need need, long state, int last) {
    if (holds(need, state)) {
      chains.add(List.of(last));
      return;
    }
    taken.set(last);
    for (List<Integer> chain : to(need, state)) {
      List<Integer> longer = new ArrayList<>(chain);
      longer.add(last);
      chains.add(longer);
    }
    taken.clear(last);
  }

  private boolean holds(Need need, long state) {
    return switch (need.kind()) {
      case NOTHING -> true;
      case VALUE -> state == need.value();
      case SOME_VALUE -> state != Operation.ABSENT;
      case ANOTHER -> state != need.value();
      case REMOVABLE -> removes(state);
      case IMPOSSIBLE -> false;
    };
  }

  private static boolean removes(long state) {
    return state == UNTOLD || (state != Operation.ABSENT && isRemovable(state));
  }

  private static boolean isRemovable(long value) {
    return (value & 3) == 0;
  }

  private boolean isFree(int call) {
    return calls.get(call).fate() == Call.Fate.OPEN
        && !taken.get(call)
        && calls.get(call).invoked() <= limit;
  }

  /** Of the open calls that stand in for each other, the first that is free. */
  private List<Integer> candidates() {
    List<Integer> free = new ArrayList<>();
    Set<Object> seen = new HashSet<>();
    for (int i = 0; i < open.size() && calls.get(open.get(i)).invoked() <= limit; i++) {
      if (isFree(open.get(i)) && seen.add(roles.get(i))) {
        free.add(open.get(i));
      }
    }
    return free;
  }
}
