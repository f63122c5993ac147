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
 * Where the values of one key can have come from. No two calls write the same value and a join
 * makes one of the value it found and the one it adds, so that a value is there once at most, and
 * what somebody saw tells which calls made it, even those that never returned.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Origins {
  /** How many joins of joins that nobody saw are tried in search of one. */
  private static final int MOST_TRIES = 4_000_000;

  private final List<Call> calls;
  private final Map<Long, Integer> writers = new HashMap<>();
  private long greatestWritten;
  private final Set<Long> results = new HashSet<>();
  private final List<Integer> openJoins = new ArrayList<>();
  private final long[] inverses;
  private final Map<Long, List<Step>> steps = new HashMap<>();
  private final Set<Long> sought = new HashSet<>();
  private final Set<Long> named = new HashSet<>();
  private final Set<Integer> joinsOfNote = new HashSet<>();
  private final Need[] needs;
  private boolean orderly = true;
  private boolean complete = true;
  private int tries;

  /**
   * A way to a joined value.
   *
   * @param call the open call that joins
   * @param before what it must find
   */
  record Step(int call, long before) {}

  Origins(List<Call> calls) {
    this.calls = calls;
    needs = new Need[calls.size()];
    inverses = new long[calls.size()];
    for (int i = 0; i < calls.size(); i++) {
      enter(i);
    }
    for (int i = 0; i < calls.size() && orderly; i++) {
      Call call = calls.get(i);
      if (call.fate() == Call.Fate.OPEN) {
        needs[i] = Need.NOTHING;
        if (call.operation().isConditional()) {
          name(call.operation().expected());
        }
      } else {
        needs[i] = Need.of(call, this::plausible);
        if (call.operation().kind() == Operation.Kind.END) {
          name(call.operation().expected());
        }
        if (needs[i].namesValue()) {
          name(needs[i].value());
        }
      }
    }
  }

  /**
   * Whether each value is there once at most and each call that ended either tells what it found or
   * does not care.
   */
  boolean orderly() {
    return orderly;
  }

  /** Whether every way to every value that somebody saw is known and can be followed. */
  boolean complete() {
    return complete;
  }

  /** What a call needs. */
  Need need(int call) {
    return needs[call];
  }

  /** Whether it matters to any call that it is this value and not another one. */
  boolean isNamed(long value) {
    return named.contains(value);
  }

  /** Whether an open call is one of those that can have joined a value somebody named. */
  boolean isOfNote(int openJoin) {
    return joinsOfNote.contains(openJoin);
  }

  /** The call that writes a value that is no join, or -1. */
  int writer(long value) {
    return writers.getOrDefault(value, -1);
  }

  /** The ways open calls can make a joined value. */
  List<Step> steps(long joined) {
    return steps.getOrDefault(joined, List.of());
  }

  private void enter(int index) {
    Call call = calls.get(index);
    Operation operation = call.operation();
    switch (operation.kind()) {
      case INCREMENT -> orderly = false;
      case PUT, REMOVE, GET, CONTAINS -> {}
      default -> orderly &= call.fate() != Call.Fate.DONE;
    }
    if (operation.hasValue()) {
      long value = operation.value();
      orderly &= value != Operation.ABSENT && !Operation.isJoined(value);
      orderly &= writers.put(value, index) == null;
      greatestWritten = Math.max(greatestWritten, value);
    }
    if (operation.isConditional()) {
      orderly &= operation.expected() != Operation.ABSENT;
    }
    if (operation.mayJoin()) {
      if (call.fate() == Call.Fate.OPEN) {
        openJoins.add(index);
        inverses[index] = Operation.inverse(operation.value());
      } else if (Operation.isJoined(call.result())) {
        results.add(call.result());
      }
    }
  }

  private void name(long value) {
    if (named.add(value) && Operation.isJoined(value)) {
      plausible(value);
      for (Step step : steps(value)) {
        // One that may have joined either of two values is more than the chains can follow.
        complete &= joinsOfNote.add(step.call());
        name(step.before());
      }
    }
  }

  /**
   * The first of these values that is known or that the fewest joins make of a known one. All are
   * tried with few joins before any is with many: most of what could be a value is none, and to
   * find that out takes every way there is.
   */
  private long plausible(long... values) {
    for (long value : values) {
      if (isKnown(value) || steps.containsKey(value)) {
        return value;
      }
    }
    long[] unknown =
        LongStream.of(values).filter(v -> Operation.isJoined(v) && sought.add(v)).toArray();
    BitSet used = new BitSet();
    for (int joins = 1; joins <= openJoins.size() && unknown.length > 0; joins++) {
      for (long value : unknown) {
        if (seek(value, joins, used)) {
          return value;
        }
      }
    }
    return Operation.ABSENT;
  }

  private boolean isKnown(long value) {
    return Operation.isJoined(value)
        ? results.contains(value)
        : value >= 0 && value <= greatestWritten && writers.containsKey(value);
  }

  /** Finds so many joins that make a value of a known one. */
  private boolean seek(long value, int joins, BitSet used) {
    List<Step> found = new ArrayList<>();
    for (int join : openJoins) {
      if (tries > MOST_TRIES) {
        complete = false;
        return false;
      }
      if (!used.get(join)) {
        used.set(join);
        long inverse = inverses[join];
        for (int bit = 0; bit < 2; bit++) {
          tries++;
          long before = Operation.joinedOf(value, inverse, bit);
          if ((joins == 1
                  ? isKnown(before)
                  : Operation.isJoined(before) && seek(before, joins - 1, used))
              && calls.get(join).operation().next(before) == value) {
            found.add(new Step(join, before));
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
