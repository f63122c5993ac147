package io.cantle.simulation;

import io.cantle.simulation.OrderSearch.Way;
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
  private static final int LAST_RESORT = 30;

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
    List<Call> relevant =
        calls.stream()
            .filter(Call::matters)
            .sorted(Comparator.comparingLong(Call::invoked))
            .toList();
    Origins origins = new Origins(relevant);
    if (origins.orderly()) {
      if (search(relevant, origins, maxSteps, Way.STRICT) == Verdict.LINEARIZABLE) {
        return Verdict.LINEARIZABLE;
      }
      if (origins.complete()
          && search(relevant, origins, maxSteps, Way.LOOSE) == Verdict.VIOLATED) {
        return Verdict.VIOLATED;
      }
      // Only small histories can be decided now.
      return search(relevant, origins, maxSteps / LAST_RESORT, Way.EVERYTHING);
    }
    return search(relevant, origins, maxSteps, Way.EVERYTHING);
  }

  private static Verdict search(List<Call> calls, Origins origins, long maxSteps, Way way) {
    return new OrderSearch(calls, origins, way).run(maxSteps);
  }
}
