package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whether a key that is only counted up, by one each time, was counted right: no increment
 * twice, none forgotten. What a call returns must lie between the increments that had ended before
 * it began and those that had begun before it ended; no two increments return the same; and nothing
 * falls.
 *
 * <p>Increments of unknown fate make the search of {@link Linearizability} long, for they may be
 * anywhere; here they are but a wider bound.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Counter {
  private Counter() {}

  /** What is wrong with the calls on one counter; nothing if the list is empty. */
  static List<String> check(List<Call> calls) {
    List<String> violations = new ArrayList<>();
    long[] begun =
        calls.stream()
            .filter(call -> counts(call) && call.fate() != Call.Fate.FAILED)
            .mapToLong(Call::invoked)
            .sorted()
            .toArray();
    long[] ended =
        calls.stream()
            .filter(call -> counts(call) && told(call))
            .mapToLong(Call::returned)
            .sorted()
            .toArray();
    Map<Long, Call> results = new HashMap<>();
    for (Call call : calls) {
      if (told(call) && call.operation().kind() != Operation.Kind.CONTAINS) {
        long least = before(ended, call.invoked()) + (counts(call) ? 1L : 0L);
        long most = before(begun, call.returned());
        if (call.result() < least || call.result() > most) {
          violations.add(call + " is not within " + least + " to " + most);
        }
        Call other = counts(call) ? results.put(call.result(), call) : null;
        if (other != null) {
          violations.add("the same was counted by " + other + " and by " + call);
        }
      }
    }
    addFalls(calls, violations);
    return violations;
  }

  /** What began after something had ended must not see less. */
  private static void addFalls(List<Call> calls, List<String> violations) {
    List<Call> told =
        calls.stream()
            .filter(call -> told(call) && call.operation().kind() != Operation.Kind.CONTAINS)
            .toList();
    List<Call> byEnd = told.stream().sorted(Comparator.comparingLong(Call::returned)).toList();
    List<Call> byBegin = told.stream().sorted(Comparator.comparingLong(Call::invoked)).toList();
    int next = 0;
    Call highest = null;
    for (Call call : byBegin) {
      while (next < byEnd.size() && byEnd.get(next).returned() < call.invoked()) {
        Call ended = byEnd.get(next++);
        highest = highest == null || ended.result() > highest.result() ? ended : highest;
      }
      if (highest != null && call.result() < highest.result()) {
        violations.add(call + " is less than " + highest);
      }
    }
  }

  private static boolean counts(Call call) {
    return call.operation().kind() == Operation.Kind.INCREMENT;
  }

  private static boolean told(Call call) {
    return call.fate() == Call.Fate.RETURNED;
  }

  /** How many moments are earlier. */
  private static int before(long[] moments, long moment) {
    int place = Arrays.binarySearch(moments, moment);
    return place < 0 ? -place - 1 : place;
  }
}
