package io.cantle.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The possible origins of the values of one key. No two calls write the same value, and a join
 * combines the value it found with the one it adds. So each value is present at most once. What a
 * client saw therefore tells which calls made it, even calls that never returned.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ValueOrigins {
  /** How many combinations of unseen joins are tried in search of the one that made a value. */
  private static final int MAX_TRIES = 4_000_000;

  private final List<ClientCall> calls;
  private final Map<Long, Integer> writers = new HashMap<>();
  private long greatestWritten;
  private final Set<Long> results = new HashSet<>();
  private final List<Integer> openJoins = new ArrayList<>();
  private final long[] inverses;
  private final Map<Long, List<JoinStep>> steps = new HashMap<>();
  private final Set<Long> soughtValues = new HashSet<>();
  private final Set<Long> namedValues = new HashSet<>();
  private final Set<Integer> notableJoins = new HashSet<>();
  private final StatePrecondition[] preconditions;
  private boolean ordered = true;
  private boolean complete = true;
  private int tries;

  /**
   * A step towards a joined value.
   *
   * @param call the open call that joins
   * @param before the value it must find
   */
  record JoinStep(int call, long before) {}

  ValueOrigins(List<ClientCall> calls) {
    this.calls = calls;
    preconditions = new StatePrecondition[calls.size()];
    inverses = new long[calls.size()];
    for (int i = 0; i < calls.size(); i++) {
      addStep(i);
    }
    for (int i = 0; i < calls.size() && ordered; i++) {
      ClientCall call = calls.get(i);
      if (call.fate() == ClientCall.CallOutcome.OPEN) {
        preconditions[i] = StatePrecondition.NOTHING;
        if (call.operation().isConditional()) {
          addName(call.operation().expected());
        }
      } else {
        preconditions[i] = StatePrecondition.of(call, this::plausibleValues);
        if (call.operation().kind() == MapOperation.Kind.END) {
          addName(call.operation().expected());
        }
        if (preconditions[i].hasRequiredValue()) {
          addName(preconditions[i].requiredValue());
        }
      }
    }
  }

  /**
   * Returns whether each value is present at most once, and each ended call either tells what it
   * found or does not depend on it.
   */
  boolean isOrdered() {
    return ordered;
  }

  /** Returns whether all origins of every value that was seen are known and can be followed. */
  boolean isComplete() {
    return complete;
  }

  /** Returns what a call needs. */
  StatePrecondition preconditionOf(int call) {
    return preconditions[call];
  }

  /** Returns whether it matters to any call that it is this value and not another one. */
  boolean isNamed(long value) {
    return namedValues.contains(value);
  }

  /**
   * Returns whether an open call is one of those that can have made a joined value that was seen.
   */
  boolean isNotable(int openJoin) {
    return notableJoins.contains(openJoin);
  }

  /** Returns the call that writes a value that is no join, or -1. */
  int writerOf(long value) {
    return writers.getOrDefault(value, -1);
  }

  /** Returns the ways in which open calls can make a joined value. */
  List<JoinStep> stepsTo(long joined) {
    return steps.getOrDefault(joined, List.of());
  }

  private void addStep(int index) {
    ClientCall call = calls.get(index);
    MapOperation operation = call.operation();
    switch (operation.kind()) {
      case INCREMENT -> ordered = false;
      case PUT, REMOVE, GET, CONTAINS -> {}
      default -> ordered &= call.fate() != ClientCall.CallOutcome.DONE_WITHOUT_RESULT;
    }
    if (operation.hasValue()) {
      long value = operation.value();
      ordered &= value != MapOperation.ABSENT && !MapOperation.isJoined(value);
      ordered &= writers.put(value, index) == null;
      greatestWritten = Math.max(greatestWritten, value);
    }
    if (operation.isConditional()) {
      ordered &= operation.expected() != MapOperation.ABSENT;
    }
    if (operation.canJoin()) {
      if (call.fate() == ClientCall.CallOutcome.OPEN) {
        openJoins.add(index);
        inverses[index] = MapOperation.inverse(operation.value());
      } else if (MapOperation.isJoined(call.result())) {
        results.add(call.result());
      }
    }
  }

  private void addName(long value) {
    if (namedValues.add(value) && MapOperation.isJoined(value)) {
      plausibleValues(value);
      for (JoinStep step : stepsTo(value)) {
        // A call that may have joined either of two values is more than the chains can follow.
        complete &= notableJoins.add(step.call());
        addName(step.before());
      }
    }
  }

  /**
   * Returns the first of these values that is known, or that the fewest joins make of a known one.
   * All values are tried with few joins before any is tried with many. Most candidates are no
   * values at all, and finding that out takes every combination.
   */
  private long plausibleValues(long... values) {
    for (long value : values) {
      if (isKnown(value) || steps.containsKey(value)) {
        return value;
      }
    }
    long[] unknown =
        LongStream.of(values)
            .filter(v -> MapOperation.isJoined(v) && soughtValues.add(v))
            .toArray();
    BitSet used = new BitSet();
    for (int joins = 1; joins <= openJoins.size() && unknown.length > 0; joins++) {
      for (long value : unknown) {
        if (seekValue(value, joins, used)) {
          return value;
        }
      }
    }
    return MapOperation.ABSENT;
  }

  private boolean isKnown(long value) {
    return MapOperation.isJoined(value)
        ? results.contains(value)
        : value >= 0 && value <= greatestWritten && writers.containsKey(value);
  }

  /** Finds this many joins that make a value from a known one. */
  private boolean seekValue(long value, int joins, BitSet used) {
    List<JoinStep> found = new ArrayList<>();
    for (int join : openJoins) {
      if (tries > MAX_TRIES) {
        complete = false;
        return false;
      }
      if (!used.get(join)) {
        used.set(join);
        long inverse = inverses[join];
        for (int bit = 0; bit < 2; bit++) {
          tries++;
          long before = MapOperation.joinWith(value, inverse, bit);
          if ((joins == 1
                  ? isKnown(before)
                  : MapOperation.isJoined(before) && seekValue(before, joins - 1, used))
              && calls.get(join).operation().nextState(before) == value) {
            found.add(new JoinStep(join, before));
          }
        }
        used.clear(join);
      }
    }
    if (!found.isEmpty()) {
      steps.put(value, found);
    }
    return !found.isEmpty();
  }
}
