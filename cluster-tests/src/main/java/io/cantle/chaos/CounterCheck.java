package io.cantle.chaos;

import io.cantle.chaos.History.Call;
import io.cantle.simulation.KeyHistory.End;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Checks the calls on one counter, to which everybody adds 1. No two additions return the same;
 * what began after something had ended returns no less, an addition more; and a read at the end is
 * no less than the additions that returned, and no more than these and those in doubt.
 *
 * <p><b>Threading:</b> immutable.
 */
final class CounterCheck {
  private CounterCheck() {}

  /** What does not hold, a line for each. */
  static List<String> violations(List<Call> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, Call> byResult = new HashMap<>();
    PriorityQueue<Call> running =
        new PriorityQueue<>(Comparator.comparingLong(Call::returnedNanos));
    List<Call> ended =
        calls.stream()
            .filter(call -> call.end() == End.RETURNED)
            .sorted(Comparator.comparingLong(Call::invokedNanos))
            .toList();
    long known = 0;
    for (Call call : ended) {
      while (!running.isEmpty() && running.element().returnedNanos() < call.invokedNanos()) {
        known = Math.max(known, running.remove().result());
      }
      boolean adds = call.kind() == CallKind.ADD;
      if (call.result() < known || (adds && call.result() == known)) {
        violations.add("counter went back from " + known + ": " + call);
      }
      if (adds) {
        Call same = byResult.putIfAbsent(call.result(), call);
        if (same != null) {
          violations.add("counter gave the same twice: " + same + " and " + call);
        }
      }
      running.add(call);
    }
    total(calls, violations);
    return violations;
  }

  private static void total(List<Call> calls, List<String> violations) {
    long added = 0;
    long possible = 0;
    long lastEnd = Long.MIN_VALUE;
    for (Call call : calls) {
      if (call.kind() == CallKind.ADD && call.end() != End.FAILED) {
        possible++;
        if (call.end() == End.RETURNED) {
          added++;
          lastEnd = Math.max(lastEnd, call.returnedNanos());
        }
      }
    }
    for (Call call : calls) {
      if (call.end() == End.RETURNED && call.result() > possible) {
        violations.add("counter is beyond all " + possible + " additions: " + call);
      }
      if (call.end() == End.RETURNED
          && call.kind() == CallKind.READ
          && call.invokedNanos() > lastEnd
          && call.result() < added) {
        violations.add("counter lost some of " + added + " additions: " + call);
      }
    }
  }
}
