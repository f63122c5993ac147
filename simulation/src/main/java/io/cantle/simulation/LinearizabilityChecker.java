package io.cantle.simulation;

import io.cantle.simulation.LinearizationSearch.SearchMode;
import java.util.Comparator;
import java.util.List;

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
 *       only as {@link OpenCallChains} towards such a call.
 *   <li>A value is there once ({@link ValueOrigins}). To leave it while a call not yet placed needs
 *       it is wrong at once, not only when that call returns.
 * </ul>
 *
 * <p>The last two hold where histories are orderly. Otherwise every open call is tried everywhere,
 * as it is when the chains could not tell.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LinearizabilityChecker {
  private static final int MAX_EXHAUSTIVE_CALLS = 30;

  private LinearizabilityChecker() {}

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
  static Verdict check(List<ClientCall> calls, long maxSteps) {
    List<ClientCall> relevant =
        calls.stream()
            .filter(ClientCall::isRelevant)
            .sorted(Comparator.comparingLong(ClientCall::invoked))
            .toList();
    ValueOrigins origins = new ValueOrigins(relevant);
    if (origins.isOrdered()) {
      if (search(relevant, origins, maxSteps, SearchMode.STRICT) == Verdict.LINEARIZABLE) {
        return Verdict.LINEARIZABLE;
      }
      if (origins.isComplete()
          && search(relevant, origins, maxSteps, SearchMode.LOOSE) == Verdict.VIOLATED) {
        return Verdict.VIOLATED;
      }
      // Only small histories can be decided now.
      return search(relevant, origins, maxSteps / MAX_EXHAUSTIVE_CALLS, SearchMode.EVERYTHING);
    }
    return search(relevant, origins, maxSteps, SearchMode.EVERYTHING);
  }

  private static Verdict search(
      List<ClientCall> calls, ValueOrigins origins, long maxSteps, SearchMode way) {
    return new LinearizationSearch(calls, origins, way).run(maxSteps);
  }
}
