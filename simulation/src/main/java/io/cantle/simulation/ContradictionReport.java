package io.cantle.simulation;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A report of where the calls on one key contradict each other. It names the first return that no
 * order of the calls known until then explains, and shows the calls around it.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ContradictionReport {
  private static final int MAX_SHOWN_CALLS = 30;

  /**
   * Finding the contradiction takes about ten searches; a moment a little too early does no harm.
   */
  private static final int REDUCED_STEPS = 10;

  private final List<ClientCall> calls;
  private final long moment;

  /**
   * Creates a report for calls that are not linearizable, or that were not decided within this many
   * steps.
   */
  ContradictionReport(List<ClientCall> calls, long maxSteps) {
    this.calls = calls;
    moment = find(calls, maxSteps / REDUCED_STEPS);
  }

  /**
   * Finds the contradiction by bisection: what is wrong up to one return is wrong up to each later
   * one.
   */
  private static long find(List<ClientCall> calls, long maxSteps) {
    long[] returns =
        calls.stream()
            .filter(call -> call.isRelevant() && call.fate() != ClientCall.CallOutcome.OPEN)
            .mapToLong(ClientCall::returnedAt)
            .sorted()
            .toArray();
    int right = -1;
    int wrong = returns.length - 1;
    while (wrong - right > 1) {
      int middle = (right + wrong) >>> 1;
      List<ClientCall> until =
          calls.stream().map(call -> call.asOfMoment(returns[middle])).toList();
      if (LinearizabilityChecker.check(until, maxSteps)
          == LinearizabilityChecker.Verdict.LINEARIZABLE) {
        right = middle;
      } else {
        wrong = middle;
      }
    }
    return wrong < 0 ? 0 : returns[wrong];
  }

  /**
   * Shows the last calls that had returned or were in progress by then, and the open calls that
   * write a value seen there.
   */
  @Override
  public String toString() {
    List<ClientCall> ended =
        calls.stream()
            .filter(call -> call.isRelevant() && call.fate() != ClientCall.CallOutcome.OPEN)
            .filter(call -> call.invoked() <= moment)
            .sorted(Comparator.comparingLong(ClientCall::returnedAt))
            .toList();
    Set<ClientCall> shown =
        new HashSet<>(ended.subList(Math.max(0, ended.size() - MAX_SHOWN_CALLS), ended.size()));
    Set<Long> values = new HashSet<>();
    for (ClientCall call : shown) {
      values.add(call.result());
      values.add(call.operation().expected());
    }
    StringBuilder text = new StringBuilder("no order gets past moment " + moment);
    for (ClientCall call : calls) {
      boolean origin =
          call.isRelevant()
              && call.operation().hasValue()
              && values.contains(call.operation().value())
              && call.invoked() <= moment;
      if (origin || shown.contains(call)) {
        text.append(call.returnedAt() == moment ? "\n> " : "\n  ").append(call);
      }
    }
    return text.toString();
  }
}
