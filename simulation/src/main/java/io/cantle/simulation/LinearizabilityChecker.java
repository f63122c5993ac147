package io.cantle.simulation;

import io.cantle.simulation.LinearizationSearch.SearchMode;
import java.util.Comparator;
import java.util.List;

/**
 * A checker of whether the calls on one key are linearizable: whether they can be put into one
 * order that respects real time and in which a sequential map would have answered the same.
 *
 * <p>The search is that of Wing and Gong, with Lowe's memory of visited pairs of (calls placed,
 * state). Each call invoked before the first return of a call not yet placed may be next. When no
 * call fits, the last choice was wrong. Three rules keep the search small:
 *
 * <ul>
 *   <li>A call that fits and does not change the state is placed at once, and that choice is never
 *       undone. Any order that places it later also works with it placed now.
 *   <li>An open call need not happen. In an order with as few of them as possible, each one is
 *       there for the sake of the next ended call, which would not fit without it. So open calls
 *       are placed only as {@link OpenCallChains} towards such a call.
 *   <li>A value is present at most once ({@link ValueOrigins}). It is wrong to leave a value while
 *       a call not yet placed needs it. The search sees that at once, not only when that call
 *       returns.
 * </ul>
 *
 * <p>The last two rules hold where histories are orderly. Otherwise every open call is tried
 * everywhere. The same is done when the chains could not decide.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LinearizabilityChecker {
  private static final int MAX_EXHAUSTIVE_CALLS = 30;

  private LinearizabilityChecker() {}

  /** The result of the search. */
  enum Verdict {
    /** Such an order exists. */
    LINEARIZABLE,
    /** No such order exists. */
    VIOLATED,
    /** The search was given up. */
    UNDECIDED
  }

  /** Checks the calls on one key that was absent at first. */
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
      // Only small histories can be decided exhaustively.
      return search(relevant, origins, maxSteps / MAX_EXHAUSTIVE_CALLS, SearchMode.EVERYTHING);
    }
    return search(relevant, origins, maxSteps, SearchMode.EVERYTHING);
  }

  private static Verdict search(
      List<ClientCall> calls, ValueOrigins origins, long maxSteps, SearchMode way) {
    return new LinearizationSearch(calls, origins, way).run(maxSteps);
  }
}
