package io.cantle.core.operation;

import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.replica.OperationResult;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What this node makes of keys that two sides of a partition have written: the function of the
 * user's, if there is one, and the count of what was lost.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ConflictResolver {
  private final MergePolicy.@Nullable Merger customMerger;
  private final LongAdder overwritten = new LongAdder();
  private final LongAdder removed = new LongAdder();
  private final LongAdder broughtBack = new LongAdder();
  private final LongAdder emptySegments = new LongAdder();

  /** As this node is configured. */
  public ConflictResolver(WhenCut whenCut) {
    customMerger =
        whenCut instanceof WhenCut.Available(MergePolicy.Custom(MergePolicy.Merger custom))
            ? custom
            : null;
  }

  /** What decides, if the user has said so. */
  MergePolicy.@Nullable Merger customMerger() {
    return customMerger;
  }

  /** Counts what a merge decided here has cost. */
  void countLosses(OperationResult result) {
    ConflictMerge.LossCount losses = ConflictMerge.LossCount.of(result);
    overwritten.add(losses.overwritten());
    removed.add(losses.removed());
    broughtBack.add(losses.broughtBack());
  }

  /** So many segments have begun empty. */
  public void countEmptySegments(int segments) {
    emptySegments.add(segments);
  }

  /** Everything so far. */
  public MergeLosses losses() {
    return new MergeLosses(
        overwritten.sum(), removed.sum(), broughtBack.sum(), emptySegments.sum());
  }
}
