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
final class Contradiction {
  private static final int MOST_SHOWN = 30;

  /** It takes about ten searches; a moment a little too early does no harm. */
  private static final int FEWER_STEPS = 10;

  private final List<Call> calls;
  private final long moment;

  /** The calls are not linearizable, or it could not be decided in so many steps. */
  Contradiction(List<Call> calls, long maxSteps) {
    this.calls = calls;
    moment = find(calls, maxSteps / FEWER_STEPS);
  }

  /** What is wrong until a return is wrong until each later one. */
  private static long find(List<Call> calls, long maxSteps) {
    long[] returns =
        calls.stream()
            .filter(call -> call.matters() && call.fate() != Call.Fate.OPEN)
            .mapToLong(Call::returned)
            .sorted()
            .toArray();
    int right = -1;
    int wrong = returns.length - 1;
    while (wrong - right > 1) {
      int middle = (right + wrong) >>> 1;
      List<Call> until = calls.stream().map(call -> call.asOf(returns[middle])).toList();
      if (Linearizability.check(until, maxSteps) == Linearizability.Verdict.LINEARIZABLE) {
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
    List<Call> ended =
        calls.stream()
            .filter(call -> call.matters() && call.fate() != Call.Fate.OPEN)
            .filter(call -> call.invoked() <= moment)
            .sorted(Comparator.comparingLong(Call::returned))
            .toList();
    Set<Call> shown =
        new HashSet<>(ended.subList(Math.max(0, ended.size() - MOST_SHOWN), ended.size()));
    Set<Long> values = new HashSet<>();
    for (Call call : shown) {
      values.add(call.result());
      values.add(call.operation().expected());
    }
    StringBuilder text = new StringBuilder("no order gets past moment " + moment);
    for (Call call : calls) {
      boolean origin =
          call.matters()
              && call.operation().hasValue()
              && values.contains(call.operation().value())
              && call.invoked() <= moment;
      if (origin || shown.contains(call)) {
        text.append(call.returned() == moment ? "\n> " : "\n  ").append(call);
      }
    }
    return text.toString();
  }
}
