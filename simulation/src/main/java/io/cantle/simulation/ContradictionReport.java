package io.cantle.simulation;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Shows people where the calls on one key contradict each other: at the first return such that no
 * order explains what had been called and what had returned until then, and the calls around it.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ContradictionReport {
  private static final int MAX_SHOWN_CALLS = 30;

  /** It takes about ten searches; a moment a little too early does no harm. */
  private static final int REDUCED_STEPS = 10;

  private final List<ClientCall> calls;
  private final long moment;

  /** The calls are not linearizable, or it could not be decided in so many steps. */
  ContradictionReport(List<ClientCall> calls, long maxSteps) {
    this.calls = calls;
    moment = find(calls, maxSteps / REDUCED_STEPS);
  }

  /** What is wrong until a return is wrong until each later one. */
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
   * The last calls that had returned by then or were under way, and those that never returned and
   * write a value that is seen there.
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
