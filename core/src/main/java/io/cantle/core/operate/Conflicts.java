package io.cantle.core.operate;

import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.replica.Result;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What this node makes of keys that two sides of a partition have written: the function of the
 * user's, if there is one, and the count of what was lost.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Conflicts {
  private final MergePolicy.@Nullable Merger merger;
  private final LongAdder overwritten = new LongAdder();
  private final LongAdder removed = new LongAdder();
  private final LongAdder broughtBack = new LongAdder();
  private final LongAdder begunEmpty = new LongAdder();

  /** As this node is configured. */
  public Conflicts(WhenCut whenCut) {
    merger =
        whenCut instanceof WhenCut.Available(MergePolicy.Custom(MergePolicy.Merger its))
            ? its
            : null;
  }

  /** What decides, if the user has said so. */
  MergePolicy.@Nullable Merger merger() {
    return merger;
  }

  /** Counts what a merge decided here has cost. */
  void count(Result result) {
    Merge.Lost lost = Merge.Lost.of(result);
    overwritten.add(lost.overwritten());
    removed.add(lost.removed());
    broughtBack.add(lost.broughtBack());
  }

  /** So many segments have begun empty. */
  public void begunEmpty(int segments) {
    begunEmpty.add(segments);
  }

  /** Everything so far. */
  public MergeLosses losses() {
    return new MergeLosses(overwritten.sum(), removed.sum(), broughtBack.sum(), begunEmpty.sum());
  }
}
