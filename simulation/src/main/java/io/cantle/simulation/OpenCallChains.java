package io.cantle.simulation;

import io.cantle.simulation.StatePrecondition.Kind;
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
 * loosely}, it may be any, {@link #NOT_REPORTED}, and so what {@link MapOperation.Kind#COMPUTE}
 * removes as well as what it joins. Then there are more ways than there are in truth, otherwise
 * fewer.
 *
 * <p><b>Threading:</b> one thread.
 */
final class OpenCallChains {
  /** A value nobody names, made by a join. */
  static final long NOT_REPORTED = -1;

  private final List<ClientCall> calls;
  private final ValueOrigins origins;
  private final boolean loose;
  private final List<Integer> open = new ArrayList<>();
  private final List<Object> roles = new ArrayList<>();

  // For one question: which open calls are placed or spoken for, and which began early enough.
  private final BitSet taken = new BitSet();
  private long limit;

  // Whether none may be passed through; not on the way to none.
  private boolean passingNone;

  /** What calls that stand in for each other have in common. */
  private record Role(MapOperation.Kind kind, long expected, boolean removable) {}

  OpenCallChains(List<ClientCall> calls, ValueOrigins origins, boolean loose) {
    this.calls = calls;
    this.origins = origins;
    this.loose = loose;
    for (int i = 0; i < calls.size(); i++) {
      ClientCall call = calls.get(i);
      if (call.fate() == ClientCall.CallOutcome.OPEN) {
        open.add(i);
        roles.add(roleOf(i, call.operation()));
      }
    }
  }

  private Object roleOf(int call, MapOperation operation) {
    boolean named = operation.hasValue() && origins.isNamed(operation.value());
    return named || origins.isNotable(call)
        ? call
        : new Role(
            operation.kind(),
            operation.isConditional() ? operation.expected() : MapOperation.ABSENT,
            operation.hasValue() && isRemovable(operation.value()));
  }

  /** The state after a call. */
  long stateAfter(ClientCall call, long state) {
    MapOperation operation = call.operation();
    if (state == NOT_REPORTED && operation.kind() == MapOperation.Kind.COMPUTE) {
      // Only ever placed for the sake of removing it.
      return MapOperation.ABSENT;
    }
    long after = operation.nextState(state);
    return loose && operation.canJoin() && MapOperation.isJoined(after) && !origins.isNamed(after)
        ? NOT_REPORTED
        : after;
  }

  /** Whether a call that ended may be next. */
  boolean isPossibleIn(ClientCall call, long state) {
    return call.isPossibleIn(state)
        || (state == NOT_REPORTED
            && call.operation().kind() == MapOperation.Kind.COMPUTE
            && call.result() == MapOperation.ABSENT);
  }

  /** The state as far as anybody can tell it from others. */
  long reportedStates(long state) {
    if (state == MapOperation.ABSENT || state == NOT_REPORTED || origins.isNamed(state)) {
      return state;
    }
    return isRemovable(state) ? NOT_REPORTED - 1 : NOT_REPORTED - 2;
  }

  /**
   * The chains that lead from a state to what is needed.
   *
   * @param limit how late an open call may have begun
   * @param placed open calls that are not free any more
   */
  List<List<Integer>> chainsLeading(long state, StatePrecondition need, long limit, BitSet placed) {
    this.limit = limit;
    taken.clear();
    taken.or(placed);
    passingNone = true;
    return chainsTo(need, state);
  }

  private List<List<Integer>> chainsTo(StatePrecondition need, long state) {
    return switch (need.kind()) {
      case VALUE ->
          need.requiredValue() == MapOperation.ABSENT
              ? chainsToAbsent(state)
              : chainsToValue(need.requiredValue(), state);
      case SOME_VALUE, ANOTHER -> effectiveCalls(state);
      case REMOVABLE -> chainsToRemovable(state);
      case NOTHING, IMPOSSIBLE -> List.of();
    };
  }

  /** One call, whichever, that changes the state. */
  private List<List<Integer>> effectiveCalls(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      if (stateAfter(calls.get(call), state) != state) {
        chains.add(List.of(call));
      }
    }
    return chains;
  }

  private List<List<Integer>> chainsToAbsent(long state) {
    if (!passingNone) {
      return List.of();
    }
    passingNone = false;
    List<List<Integer>> chains = removalsFrom(state);
    passingNone = true;
    return chains;
  }

  private List<List<Integer>> removalsFrom(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      MapOperation operation = calls.get(call).operation();
      switch (operation.kind()) {
        case REMOVE -> chains.add(List.of(call));
        case REMOVE_IF -> {
          if (operation.expected() == state) {
            // The value never comes back, so this is the last use there is for the call.
            return List.of(List.of(call));
          }
          extend(chains, StatePrecondition.value(operation.expected()), state, call);
        }
        case COMPUTE -> {
          if (stateAfter(calls.get(call), state) == MapOperation.ABSENT) {
            chains.add(List.of(call));
          } else {
            extend(chains, new StatePrecondition(Kind.REMOVABLE, MapOperation.ABSENT), state, call);
          }
        }
        default -> {}
      }
    }
    return chains;
  }

  private List<List<Integer>> chainsToValue(long value, long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (ValueOrigins.JoinStep step : origins.stepsTo(value)) {
      if (isFree(step.call())) {
        extend(chains, StatePrecondition.value(step.before()), state, step.call());
      }
    }
    int writer = origins.writerOf(value);
    if (writer >= 0 && isFree(writer)) {
      extend(chains, beforeWriting(calls.get(writer).operation()), state, writer);
    }
    return chains;
  }

  /** What an open call needs to write its own value. */
  private static StatePrecondition beforeWriting(MapOperation operation) {
    return switch (operation.kind()) {
      case PUT -> StatePrecondition.NOTHING;
      case REPLACE -> new StatePrecondition(Kind.SOME_VALUE, MapOperation.ABSENT);
      case REPLACE_IF -> StatePrecondition.value(operation.expected());
      default -> StatePrecondition.NO_VALUE;
    };
  }

  private List<List<Integer>> chainsToRemovable(long state) {
    List<List<Integer>> chains = new ArrayList<>();
    for (int call : candidates()) {
      if (removes(stateAfter(calls.get(call), state))) {
        chains.add(List.of(call));
        continue;
      }
      MapOperation operation = calls.get(call).operation();
      if (operation.hasValue() && isRemovable(operation.value())) {
        extend(chains, beforeWriting(operation), state, call);
      }
      if (operation.canJoin()) {
        joinOther(chains, state, call, List.of());
      }
    }
    return chains;
  }

  /** Chains of one or two calls to another value, which a join makes a removable one of. */
  private void joinOther(List<List<Integer>> chains, long state, int join, List<Integer> before) {
    taken.set(join);
    for (int call : candidates()) {
      long after = stateAfter(calls.get(call), state);
      if (after == state) {
        continue;
      }
      List<Integer> chain = new ArrayList<>(before);
      chain.add(call);
      if (after != MapOperation.ABSENT && removes(stateAfter(calls.get(join), after))) {
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
  private void extend(List<List<Integer>> chains, StatePrecondition need, long state, int last) {
    if (holds(need, state)) {
      chains.add(List.of(last));
      return;
    }
    taken.set(last);
    for (List<Integer> chain : chainsTo(need, state)) {
      List<Integer> longer = new ArrayList<>(chain);
      longer.add(last);
      chains.add(longer);
    }
    taken.clear(last);
  }

  private boolean holds(StatePrecondition need, long state) {
    return switch (need.kind()) {
      case NOTHING -> true;
      case VALUE -> state == need.requiredValue();
      case SOME_VALUE -> state != MapOperation.ABSENT;
      case ANOTHER -> state != need.requiredValue();
      case REMOVABLE -> removes(state);
      case IMPOSSIBLE -> false;
    };
  }

  private static boolean removes(long state) {
    return state == NOT_REPORTED || (state != MapOperation.ABSENT && isRemovable(state));
  }

  private static boolean isRemovable(long value) {
    return (value & 3) == 0;
  }

  private boolean isFree(int call) {
    return calls.get(call).fate() == ClientCall.CallOutcome.OPEN
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
