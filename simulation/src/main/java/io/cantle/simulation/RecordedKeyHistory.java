package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The calls on one key that was absent at first, recorded outside a simulation, and the check
 * whether they are linearizable. A value is a number, {@link #ABSENT} stands for no value; no two
 * writes of a history write the same.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class RecordedKeyHistory {
  /** No value: the key is absent. */
  public static final long ABSENT = MapOperation.ABSENT;

  private final List<SeenCall> calls = new ArrayList<>();

  /** Creates an empty history. */
  public RecordedKeyHistory() {}

  /** The outcome of a call. */
  public enum CallEnd {
    /** It returned a result. */
    RETURNED,
    /** It ended normally, but its result is not known. */
    DONE,
    /** It may have happened, may still happen, or may never happen. */
    OPEN,
    /** It did not happen and never will. */
    FAILED
  }

  /** The result of the search. */
  public enum CheckResult {
    /**
     * There is an order of the calls in which a single-threaded map would have answered the same.
     */
    LINEARIZABLE,
    /** There is no such order. */
    VIOLATED,
    /** The search was given up after the granted number of steps. */
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
   * @param client which client called
   * @param kind which call, by the name of one of the simulation's operations: {@code GET}, {@code
   *     PUT}, {@code REPLACE_IF} ...
   * @param expected what a conditional call compares with, else {@link #ABSENT}
   * @param value what it writes or adds, else {@link #ABSENT}
   * @param invokedNanos when it began
   * @param returnedNanos when it ended; ignored when it is open or failed
   * @param end its outcome
   * @param result a value, or 1 and 0 for true and false; only used when it returned
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

  /** Returns how many calls were added. */
  public int size() {
    return calls.size();
  }

  /** Searches for an order of the calls, for at most this many steps. */
  public CheckResult check(long maxSteps) {
    return switch (LinearizabilityChecker.check(rankMoments(), maxSteps)) {
      case LINEARIZABLE -> CheckResult.LINEARIZABLE;
      case VIOLATED -> CheckResult.VIOLATED;
      case UNDECIDED -> CheckResult.UNDECIDED;
    };
  }

  /**
   * Returns the calls around the first return that no order explains; empty if the history is
   * linearizable.
   */
  public Optional<String> explain(long maxSteps) {
    return check(maxSteps) == CheckResult.VIOLATED
        ? Optional.of(new ContradictionReport(rankMoments(), maxSteps).toString())
        : Optional.empty();
  }

  /** Returns what {@code MERGE} and {@code COMPUTE_IF_PRESENT} make of two values. */
  public static long joinValues(long before, long added) {
    return MapOperation.joinValues(before, added);
  }

  /** Returns what {@code COMPUTE} makes of the value it finds. */
  public static long computeValue(long before, long added) {
    return MapOperation.computeValue(before, added);
  }

  /**
   * Returns the calls with positions in the order of all moments instead of times; equal times get
   * equal positions.
   */
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
