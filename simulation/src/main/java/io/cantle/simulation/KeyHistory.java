package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The calls on one key that was absent at first, written down elsewhere than in a simulation, and
 * the question whether they are linearizable. A value is a number, {@link #ABSENT} is none; no two
 * writes of a history write the same.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class KeyHistory {
  /** No value: the key is not there. */
  public static final long ABSENT = Operation.ABSENT;

  private final List<Seen> calls = new ArrayList<>();

  /** No calls yet. */
  public KeyHistory() {}

  /** What became of a call. */
  public enum End {
    /** It returned a result. */
    RETURNED,
    /** It ended normally and told no result. */
    DONE,
    /** It may have happened, may happen later, or never. */
    OPEN,
    /** It did not happen and never will. */
    FAILED
  }

  /** What the search found. */
  public enum Answer {
    /** There is an order of the calls that a map of one thread would have answered so. */
    LINEARIZABLE,
    /** There is none. */
    VIOLATED,
    /** The search was given up after as many steps as it was granted. */
    UNDECIDED
  }

  private record Seen(
      String client,
      Operation operation,
      long invokedNanos,
      long returnedNanos,
      End end,
      long result) {}

  /**
   * Adds a call.
   *
   * @param client who called
   * @param kind which call, by the name of one of the simulation's operations: {@code GET}, {@code
   *     PUT}, {@code REPLACE_IF} ...
   * @param expected what a conditional call compares with, else {@link #ABSENT}
   * @param value what it writes or adds, else {@link #ABSENT}
   * @param invokedNanos when it began
   * @param returnedNanos when it ended; not looked at when it is open or failed
   * @param end what became of it
   * @param result a value, or 1 and 0 for true and false; only looked at when it returned
   * @throws IllegalArgumentException if there is no such kind
   */
  public void add(
      String client,
      String kind,
      long expected,
      long value,
      long invokedNanos,
      long returnedNanos,
      End end,
      long result) {
    Operation operation = new Operation(Operation.Kind.valueOf(kind), 0, expected, value);
    calls.add(new Seen(client, operation, invokedNanos, returnedNanos, end, result));
  }

  /** How many calls were added. */
  public int size() {
    return calls.size();
  }

  /** Searches for an order of the calls, for so many steps at most. */
  public Answer answer(long maxSteps) {
    return switch (Linearizability.check(ranked(), maxSteps)) {
      case LINEARIZABLE -> Answer.LINEARIZABLE;
      case VIOLATED -> Answer.VIOLATED;
      case UNDECIDED -> Answer.UNDECIDED;
    };
  }

  /** The calls around the first return no order gets past; empty if all is well. */
  public Optional<String> explanation(long maxSteps) {
    return answer(maxSteps) == Answer.VIOLATED
        ? Optional.of(new Contradiction(ranked(), maxSteps).toString())
        : Optional.empty();
  }

  /** What {@code MERGE} and {@code COMPUTE_IF_PRESENT} make of two values. */
  public static long joined(long before, long added) {
    return Operation.join(before, added);
  }

  /** What {@code COMPUTE} makes of what it finds. */
  public static long computed(long before, long added) {
    return Operation.computed(before, added);
  }

  /** The calls with places in the order of all moments instead of times, equal ones kept equal. */
  private List<Call> ranked() {
    long[] moments =
        calls.stream()
            .flatMapToLong(seen -> LongStream.of(seen.invokedNanos, seen.returnedNanos))
            .sorted()
            .distinct()
            .toArray();
    return calls.stream().map(seen -> call(seen, moments)).toList();
  }

  private static Call call(Seen seen, long[] moments) {
    Call call =
        new Call(seen.client, seen.operation, Arrays.binarySearch(moments, seen.invokedNanos));
    long returned = Arrays.binarySearch(moments, seen.returnedNanos);
    switch (seen.end) {
      case RETURNED -> call.returned(returned, seen.result);
      case DONE -> call.done(returned);
      case FAILED -> call.failed();
      case OPEN -> {}
    }
    return call;
  }
}
