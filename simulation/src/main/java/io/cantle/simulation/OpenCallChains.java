package io.cantle.simulation;

import io.cantle.simulation.StatePrecondition.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The ways in which open calls can bring about what an ended call needs: chains of open calls of
 * which none can be left out. A chain is found backwards, from the needed value to the call that
 * writes it, and on to what that call needs.
 *
 * <p>Calls that do the same, and whose values nobody saw, are interchangeable: only the first of
 * them is tried. The value that a join makes of such a value is not followed. In loose mode it may
 * be any value, {@link #NOT_REPORTED}, so {@link MapOperation.Kind#COMPUTE} may remove it as well
 * as join it. Loose mode therefore finds more ways than there are; strict mode finds fewer.
 *
 * <p><b>Threading:</b> one thread.
 */
final class OpenCallChains {
  /** A value that nobody saw, made by a join. */
  static final long NOT_REPORTED = -1;

  private final List<ClientCall> calls;
  private final ValueOrigins origins;
  private final boolean loose;
  private final List<Integer> open = new ArrayList<>();
  private final List<Object> roles = new ArrayList<>();

  // For one query: which open calls are placed or already part of the chain, and which began
  // early enough.
  private final BitSet taken = new BitSet();
  private long limit;

  // Whether the chain may not pass through absence; does not apply on the way to absence.
  private boolean passingNone;

  /** The properties that interchangeable calls have in common. */
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

  /** Returns the state after a call. */
  long stateAfter(ClientCall call, long state) {
    MapOperation operation = call.operation();
    if (state == NOT_REPORTED && operation.kind() == MapOperation.Kind.COMPUTE) {
      // Only ever placed in order to remove it.
      return MapOperation.ABSENT;
    }
    long after = operation.nextState(state);
    return loose && operation.canJoin() && MapOperation.isJoined(after) && !origins.isNamed(after)
        ? NOT_REPORTED
        : after;
  }

  /** Returns whether an ended call may be next. */
  boolean isPossibleIn(ClientCall call, long state) {
    return call.isPossibleIn(state)
        || (state == NOT_REPORTED
            && call.operation().kind() == MapOperation.Kind.COMPUTE
            && call.result() == MapOperation.ABSENT);
  }

  /** Returns the state, with states that no call can tell apart made the same. */
  long canonicalState(long state) {
    if (state == MapOperation.ABSENT || state == NOT_REPORTED || origins.isNamed(state)) {
      return state;
    }
    return isRemovable(state) ? NOT_REPORTED - 1 : NOT_REPORTED - 2;
  }

  /**
   * Returns the chains that lead from a state to what is needed.
   *
   * @param limit how late an open call may have begun
   * @param placed open calls that are no longer free
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

  /** Returns the first call that changes the state, whichever it is. */
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
            // The value never comes back, so this is the last use of the call.
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

  /** Returns what an open call needs in order to write its own value. */
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

  /** Adds chains of one or two calls to another value, from which a join makes a removable one. */
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

  /** Returns the first free call of each group of interchangeable open calls. */
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
