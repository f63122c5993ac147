package io.cantle.core.operation;

import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.replica.OperationResult;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * This node's configuration for keys that two sides of a partition have written: the user's merge
 * function, if there is one, and the counters of lost writes.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ConflictResolver {
  private final MergePolicy.@Nullable Merger customMerger;
  private final LongAdder overwritten = new LongAdder();
  private final LongAdder removed = new LongAdder();
  private final LongAdder broughtBack = new LongAdder();
  private final LongAdder emptySegments = new LongAdder();

  /** Creates a resolver with the configuration of this node. */
  public ConflictResolver(WhenCut whenCut) {
    customMerger =
        whenCut instanceof WhenCut.Available(MergePolicy.Custom(MergePolicy.Merger custom))
            ? custom
            : null;
  }

  /** The user's merge function, if one is configured. */
  MergePolicy.@Nullable Merger customMerger() {
    return customMerger;
  }

  /** Counts the losses of a merge decided on this node. */
  void countLosses(OperationResult result) {
    ConflictMerge.LossCount losses = ConflictMerge.LossCount.of(result);
    overwritten.add(losses.overwritten());
    removed.add(losses.removed());
    broughtBack.add(losses.broughtBack());
  }

  /** Counts segments that have begun empty. */
  public void countEmptySegments(int segments) {
    emptySegments.add(segments);
  }

  /** The losses so far. */
  public MergeLosses losses() {
    return new MergeLosses(
        overwritten.sum(), removed.sum(), broughtBack.sum(), emptySegments.sum());
  }
}
