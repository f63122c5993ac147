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
public final class RecordedKeyHistory {
  /** No value: the key is not there. */
  public static final long ABSENT = MapOperation.ABSENT;

  private final List<SeenCall> calls = new ArrayList<>();

  /** No calls yet. */
  public RecordedKeyHistory() {}

  /** What became of a call. */
  public enum CallEnd {
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
  public enum CheckResult {
    /** There is an order of the calls that a map of one thread would have answered so. */
    LINEARIZABLE,
    /** There is none. */
    VIOLATED,
    /** The search was given up after as many steps as it was granted. */
    UNDECIDED
  }

  private record SeenCall(
      String client,
      MapOperation operation,
      long invokedNanos,
      long returnedNanos,
      CallEnd callEnd,
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
      CallEnd end,
      long result) {
    MapOperation operation = new MapOperation(MapOperation.Kind.valueOf(kind), 0, expected, value);
    calls.add(new SeenCall(client, operation, invokedNanos, returnedNanos, end, result));
  }

  /** How many calls were added. */
  public int size() {
    return calls.size();
  }

  /** Searches for an order of the calls, for so many steps at most. */
  public CheckResult check(long maxSteps) {
    return switch (LinearizabilityChecker.check(rankMoments(), maxSteps)) {
      case LINEARIZABLE -> CheckResult.LINEARIZABLE;
      case VIOLATED -> CheckResult.VIOLATED;
      case UNDECIDED -> CheckResult.UNDECIDED;
    };
  }

  /** The calls around the first return no order gets past; empty if all is well. */
  public Optional<String> explain(long maxSteps) {
    return check(maxSteps) == CheckResult.VIOLATED
        ? Optional.of(new ContradictionReport(rankMoments(), maxSteps).toString())
        : Optional.empty();
  }

  /** What {@code MERGE} and {@code COMPUTE_IF_PRESENT} make of two values. */
  public static long joinValues(long before, long added) {
    return MapOperation.joinValues(before, added);
  }

  /** What {@code COMPUTE} makes of what it finds. */
  public static long computeValue(long before, long added) {
    return MapOperation.computeValue(before, added);
  }

  /** The calls with places in the order of all moments instead of times, equal ones kept equal. */
  private List<ClientCall> rankMoments() {
    long[] moments =
        calls.stream()
            .flatMapToLong(seen -> LongStream.of(seen.invokedNanos, seen.returnedNanos))
            .sorted()
            .distinct()
            .toArray();
    return calls.stream().map(seen -> toCall(seen, moments)).toList();
  }

  private static ClientCall toCall(SeenCall seen, long[] moments) {
    ClientCall call =
        new ClientCall(
            seen.client, seen.operation, Arrays.binarySearch(moments, seen.invokedNanos));
    long returned = Arrays.binarySearch(moments, seen.returnedNanos);
    switch (seen.callEnd) {
      case RETURNED -> call.recordReturn(returned, seen.result);
      case DONE -> call.recordDone(returned);
      case FAILED -> call.recordFailed();
      case OPEN -> {}
    }
    return call;
  }
}
