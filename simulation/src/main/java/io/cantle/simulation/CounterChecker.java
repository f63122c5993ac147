package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A checker of a key that is only ever incremented by one: no increment counts twice and none is
 * lost. What a call returns must lie between the number of increments that had ended before it
 * began and the number that had begun before it ended. No two increments return the same, and the
 * count never falls.
 *
 * <p>Increments with an unknown outcome make the search of {@link LinearizabilityChecker} long,
 * since they may be anywhere. Here they only widen a bound.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CounterChecker {
  private CounterChecker() {}

  /** Returns the violations in the calls on one counter; empty if there are none. */
  static List<String> check(List<ClientCall> calls) {
    List<String> violations = new ArrayList<>();
    long[] begun =
        calls.stream()
            .filter(call -> isIncrement(call) && call.fate() != ClientCall.CallOutcome.FAILED)
            .mapToLong(ClientCall::invoked)
            .sorted()
            .toArray();
    long[] ended =
        calls.stream()
            .filter(call -> isIncrement(call) && hasResult(call))
            .mapToLong(ClientCall::returnedAt)
            .sorted()
            .toArray();
    Map<Long, ClientCall> results = new HashMap<>();
    for (ClientCall call : calls) {
      if (hasResult(call) && call.operation().kind() != MapOperation.Kind.CONTAINS) {
        long min = countBefore(ended, call.invoked()) + (isIncrement(call) ? 1L : 0L);
        long max = countBefore(begun, call.returnedAt());
        if (call.result() < min || call.result() > max) {
          violations.add(call + " is not within " + min + " to " + max);
        }
        ClientCall other = isIncrement(call) ? results.put(call.result(), call) : null;
        if (other != null) {
          violations.add("the same was counted by " + other + " and by " + call);
        }
      }
    }
    addDecreases(calls, violations);
    return violations;
  }

  /** Adds each call that saw less than another call that had ended before it began. */
  private static void addDecreases(List<ClientCall> calls, List<String> violations) {
    List<ClientCall> told =
        calls.stream()
            .filter(
                call -> hasResult(call) && call.operation().kind() != MapOperation.Kind.CONTAINS)
            .toList();
    List<ClientCall> byEnd =
        told.stream().sorted(Comparator.comparingLong(ClientCall::returnedAt)).toList();
    List<ClientCall> byBegin =
        told.stream().sorted(Comparator.comparingLong(ClientCall::invoked)).toList();
    int next = 0;
    ClientCall highest = null;
    for (ClientCall call : byBegin) {
      while (next < byEnd.size() && byEnd.get(next).returnedAt() < call.invoked()) {
        ClientCall ended = byEnd.get(next++);
        highest = highest == null || ended.result() > highest.result() ? ended : highest;
      }
      if (highest != null && call.result() < highest.result()) {
        violations.add(call + " is less than " + highest);
      }
    }
  }

  private static boolean isIncrement(ClientCall call) {
    return call.operation().kind() == MapOperation.Kind.INCREMENT;
  }

  private static boolean hasResult(ClientCall call) {
    return call.fate() == ClientCall.CallOutcome.RETURNED;
  }

  /** Returns how many of the moments are earlier. */
  private static int countBefore(long[] moments, long moment) {
    int place = Arrays.binarySearch(moments, moment);
    return place < 0 ? -place - 1 : place;
  }
}
