package io.cantle.simulation;

import java.util.stream.LongStream;

/**
 * What the state must be for a call to return what it returned.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind which states will do
 * @param value the state, or the one state that will not do
 */
record Need(Kind kind, long value) {
  /** Any state will do. */
  static final Need NOTHING = new Need(Kind.NOTHING, Operation.ABSENT);

  /** There must be no value. */
  static final Need NO_VALUE = new Need(Kind.VALUE, Operation.ABSENT);

  private static final Need SOME_VALUE = new Need(Kind.SOME_VALUE, Operation.ABSENT);
  private static final Need REMOVABLE = new Need(Kind.REMOVABLE, Operation.ABSENT);
  private static final Need IMPOSSIBLE = new Need(Kind.IMPOSSIBLE, Operation.ABSENT);

  /** Kinds of needs. */
  enum Kind {
    /** Any state will do. */
    NOTHING,
    /** Just this value, or none if it is {@link Operation#ABSENT}. */
    VALUE,
    /** Any value. */
    SOME_VALUE,
    /** Any value but this, or none. */
    ANOTHER,
    /** Any value that {@link Operation.Kind#COMPUTE} removes. */
    REMOVABLE,
    /** No state will do. */
    IMPOSSIBLE
  }

  /** Which of several values there may have been for a join, {@link Operation#ABSENT} for none. */
  @FunctionalInterface
  interface Plausible {
    long of(long[] values);
  }

  /** What a call that ended needs. */
  static Need of(Call call, Plausible plausible) {
    Operation operation = call.operation();
    long result = call.result();
    if (call.fate() == Call.Fate.DONE) {
      return NOTHING;
    }
    return switch (operation.kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> value(result);
      case CONTAINS -> result == 1 ? SOME_VALUE : NO_VALUE;
      case REMOVE_IF, REPLACE_IF ->
          new Need(result == 1 ? Kind.VALUE : Kind.ANOTHER, operation.expected());
      case COMPUTE_IF_ABSENT -> {
        boolean refused = result != operation.value();
        yield refused && result == Operation.ABSENT ? IMPOSSIBLE : value(refused ? result : 0);
      }
      case COMPUTE_IF_PRESENT -> result == Operation.ABSENT ? NO_VALUE : joined(call, plausible);
      case MERGE -> result == operation.value() ? NO_VALUE : joined(call, plausible);
      case COMPUTE -> {
        if (result == Operation.ABSENT) {
          yield REMOVABLE;
        }
        yield result == operation.value() ? NO_VALUE : joined(call, plausible);
      }
      case INCREMENT -> value(result - 1);
      case END -> NOTHING;
    };
  }

  /** That there be this value. */
  static Need value(long value) {
    return value == Operation.ABSENT ? NO_VALUE : new Need(Kind.VALUE, value);
  }

  /** Whether it names a value. */
  boolean namesValue() {
    return (kind == Kind.VALUE || kind == Kind.ANOTHER) && value != Operation.ABSENT;
  }

  private static Need joined(Call call, Plausible plausible) {
    Operation operation = call.operation();
    long before =
        plausible.of(
            LongStream.of(Operation.joinedOf(call.result(), operation.value()))
                .filter(value -> value != Operation.ABSENT)
                .filter(value -> operation.result(value) == call.result())
                .toArray());
    if (before != Operation.ABSENT) {
      return value(before);
    }
    return IMPOSSIBLE;
  }
}
