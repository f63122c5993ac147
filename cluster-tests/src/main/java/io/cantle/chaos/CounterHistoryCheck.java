package io.cantle.chaos;

import io.cantle.chaos.ChaosHistory.HistoryCall;
import io.cantle.simulation.RecordedKeyHistory.CallEnd;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A check of the calls on one counter, to which every client adds 1. No two additions return the
 * same. A call that began after another had ended returns no less, and an addition returns more. A
 * read at the end returns at least the additions that returned, and at most these and those in
 * doubt.
 *
 * <p><b>Threading:</b> immutable.
 */
final class CounterHistoryCheck {
  private CounterHistoryCheck() {}

  /** Returns the violations, one line each. */
  static List<String> findViolations(List<HistoryCall> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, HistoryCall> byResult = new HashMap<>();
    PriorityQueue<HistoryCall> running =
        new PriorityQueue<>(Comparator.comparingLong(HistoryCall::returnedNanos));
    List<HistoryCall> ended =
        calls.stream()
            .filter(call -> call.end() == CallEnd.RETURNED)
            .sorted(Comparator.comparingLong(HistoryCall::invokedNanos))
            .toList();
    long known = 0;
    for (HistoryCall call : ended) {
      while (!running.isEmpty() && running.element().returnedNanos() < call.invokedNanos()) {
        known = Math.max(known, running.remove().result());
      }
      boolean adds = call.kind() == CallKind.ADD;
      if (call.result() < known || (adds && call.result() == known)) {
        violations.add("counter went back from " + known + ": " + call);
      }
      if (adds) {
        HistoryCall same = byResult.putIfAbsent(call.result(), call);
        if (same != null) {
          violations.add("counter gave the same twice: " + same + " and " + call);
        }
      }
      running.add(call);
    }
    checkTotal(calls, violations);
    return violations;
  }

  private static void checkTotal(List<HistoryCall> calls, List<String> violations) {
    long added = 0;
    long possible = 0;
    long lastEnd = Long.MIN_VALUE;
    for (HistoryCall call : calls) {
      if (call.kind() == CallKind.ADD && call.end() != CallEnd.FAILED) {
        possible++;
        if (call.end() == CallEnd.RETURNED) {
          added++;
          lastEnd = Math.max(lastEnd, call.returnedNanos());
        }
      }
    }
    for (HistoryCall call : calls) {
      if (call.end() == CallEnd.RETURNED && call.result() > possible) {
        violations.add("counter is beyond all " + possible + " additions: " + call);
      }
      if (call.end() == CallEnd.RETURNED
          && call.kind() == CallKind.READ
          && call.invokedNanos() > lastEnd
          && call.result() < added) {
        violations.add("counter lost some of " + added + " additions: " + call);
      }
    }
  }
}
