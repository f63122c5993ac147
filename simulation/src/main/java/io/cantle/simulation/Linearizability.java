package io.cantle.simulation;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides whether the calls on one key can be put into one order that respects what came after what
 * and that the sequential map would have answered the same way.
 *
 * <p>The search is that of Wing and Gong with Lowe's memory of visited pairs of (calls placed,
 * state): whatever was invoked before the first return of a call not yet placed may be next, and
 * when nothing fits the last choice was wrong. What makes it small:
 *
 * <ul>
 *   <li>A call that fits and leaves the state as it is is placed at once, without ever coming back
 *       to that choice: any order that works with it later works with it now.
 *   <li>An open call need not happen. In an order with as few of them as can be each is there for
 *       the sake of the next call that ended, which would not fit without. So open calls are placed
 *       only as {@link OpenChains} towards such a call.
 *   <li>A value is there once ({@link Origins}). To leave it while a call not yet placed needs it
 *       is wrong at once, not only when that call returns.
 * </ul>
 *
 * <p>The last two hold where histories are orderly. Otherwise every open call is tried everywhere,
 * as it is when the chains could not tell.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Linearizability {
  private static final int MOST_SHOWN = 30;
  private static final long SHOWN_AFTER = 10;

  private Linearizability() {}

  /** What the search found. */
  enum Verdict {
    /** There is such an order. */
    LINEARIZABLE,
    /** There is none. */
    VIOLATED,
    /** The search was given up. */
    UNDECIDED
  }

  /** Judges the calls on one key that was absent at first. */
  static Verdict check(List<Call> calls, long maxSteps) {
    return outcome(relevant(calls), maxSteps).verdict();
  }

  /** The calls around the first return no order gets past, for people. */
  static String explain(List<Call> calls, long maxSteps) {
    List<Call> relevant = relevant(calls);
    long farthest = outcome(relevant, maxSteps).farthest();
    List<Call> ended =
        relevant.stream()
            .filter(call -> call.fate() != Call.Fate.OPEN)
            .filter(call -> call.invoked() <= farthest + SHOWN_AFTER)
            .sorted(Comparator.comparingLong(Call::returned))
            .toList();
    Set<Call> shown =
        new HashSet<>(ended.subList(Math.max(0, ended.size() - MOST_SHOWN), ended.size()));
    Set<Long> values = new HashSet<>();
    shown.forEach(call -> values.add(call.result()));
    shown.forEach(call -> values.add(call.operation().expected()));
    values.remove(Operation.ABSENT);
    StringBuilder text = new StringBuilder("no order gets past moment " + farthest);
    for (Call call : relevant) {
      boolean origin =
          call.fate() == Call.Fate.OPEN
              && call.operation().hasValue()
              && values.contains(call.operation().value());
      if (origin || shown.contains(call)) {
        text.append(call.returned() == farthest ? "\n> " : "\n  ").append(call);
      }
    }
    return text.toString();
  }

  private static List<Call> relevant(List<Call> calls) {
    return calls.stream()
        .filter(Call::matters)
        .sorted(Comparator.comparingLong(Call::invoked))
        .toList();
  }

  private static OrderSearch.Outcome outcome(List<Call> calls, long maxSteps) {
    Origins origins = new Origins(calls);
    if (!origins.orderly()) {
      return new OrderSearch(calls, origins, maxSteps, OrderSearch.Way.EVERYTHING).run();
    }
    OrderSearch.Outcome strict =
        new OrderSearch(calls, origins, maxSteps, OrderSearch.Way.STRICT).run();
    if (strict.verdict() == Verdict.LINEARIZABLE) {
      return strict;
    }
    OrderSearch.Outcome loose =
        new OrderSearch(calls, origins, maxSteps, OrderSearch.Way.LOOSE).run();
    if (loose.verdict() == Verdict.VIOLATED && origins.complete()) {
      return new OrderSearch.Outcome(Verdict.VIOLATED, strict.farthest());
    }
    OrderSearch.Outcome all =
        new OrderSearch(calls, origins, maxSteps, OrderSearch.Way.EVERYTHING).run();
    return new OrderSearch.Outcome(all.verdict(), strict.farthest());
  }
}
