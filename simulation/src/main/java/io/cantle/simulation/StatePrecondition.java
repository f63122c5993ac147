package io.cantle.simulation;

import java.util.stream.LongStream;

/**
 * What the state must be for a call to return what it returned.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind which states fit
 * @param requiredValue the state, or the one state that does not fit
 */
record StatePrecondition(Kind kind, long requiredValue) {
  /** Any state fits. */
  static final StatePrecondition NOTHING = new StatePrecondition(Kind.NOTHING, MapOperation.ABSENT);

  /** There must be no value. */
  static final StatePrecondition NO_VALUE = new StatePrecondition(Kind.VALUE, MapOperation.ABSENT);

  private static final StatePrecondition SOME_VALUE =
      new StatePrecondition(Kind.SOME_VALUE, MapOperation.ABSENT);
  private static final StatePrecondition REMOVABLE =
      new StatePrecondition(Kind.REMOVABLE, MapOperation.ABSENT);
  private static final StatePrecondition IMPOSSIBLE =
      new StatePrecondition(Kind.IMPOSSIBLE, MapOperation.ABSENT);

  /** The kinds of preconditions. */
  enum Kind {
    /** Any state fits. */
    NOTHING,
    /** Exactly this value, or none if it is {@link MapOperation#ABSENT}. */
    VALUE,
    /** Any value. */
    SOME_VALUE,
    /** Any value but this, or none. */
    ANOTHER,
    /** Any value that {@link MapOperation.Kind#COMPUTE} removes. */
    REMOVABLE,
    /** No state fits. */
    IMPOSSIBLE
  }

  /**
   * Chooses which of several values may have been present for a join, {@link MapOperation#ABSENT}
   * for none.
   */
  @FunctionalInterface
  interface Plausible {
    long of(long[] values);
  }

  /** Returns what an ended call needs. */
  static StatePrecondition of(ClientCall call, Plausible plausible) {
    MapOperation operation = call.operation();
    long result = call.result();
    if (call.fate() == ClientCall.CallOutcome.DONE_WITHOUT_RESULT) {
      return NOTHING;
    }
    return switch (operation.kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> value(result);
      case CONTAINS -> result == 1 ? SOME_VALUE : NO_VALUE;
      case REMOVE_IF, REPLACE_IF ->
          new StatePrecondition(result == 1 ? Kind.VALUE : Kind.ANOTHER, operation.expected());
      case COMPUTE_IF_ABSENT -> {
        boolean refused = result != operation.value();
        yield refused && result == MapOperation.ABSENT ? IMPOSSIBLE : value(refused ? result : 0);
      }
      case COMPUTE_IF_PRESENT ->
          result == MapOperation.ABSENT ? NO_VALUE : joinedValue(call, plausible);
      case MERGE -> result == operation.value() ? NO_VALUE : joinedValue(call, plausible);
      case COMPUTE -> {
        if (result == MapOperation.ABSENT) {
          yield REMOVABLE;
        }
        yield result == operation.value() ? NO_VALUE : joinedValue(call, plausible);
      }
      case INCREMENT -> value(result - 1);
      case END -> NOTHING;
    };
  }

  /** Returns the precondition that this value is present. */
  static StatePrecondition value(long value) {
    return value == MapOperation.ABSENT ? NO_VALUE : new StatePrecondition(Kind.VALUE, value);
  }

  /** Returns whether it names a value. */
  boolean hasRequiredValue() {
    return (kind == Kind.VALUE || kind == Kind.ANOTHER) && requiredValue != MapOperation.ABSENT;
  }

  private static StatePrecondition joinedValue(ClientCall call, Plausible plausible) {
    MapOperation operation = call.operation();
    long before =
        plausible.of(
            LongStream.of(MapOperation.joinWith(call.result(), operation.value()))
                .filter(value -> value != MapOperation.ABSENT)
                .filter(value -> operation.resultIn(value) == call.result())
                .toArray());
    if (before != MapOperation.ABSENT) {
      return value(before);
    }
    return IMPOSSIBLE;
  }
}
