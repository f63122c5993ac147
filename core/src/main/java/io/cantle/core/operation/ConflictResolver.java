package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * This node's configuration for keys that two sides of a partition have written: the user's merge
 * function, if there is one, and the counters of lost writes.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ConflictResolver {
  private final MergePolicy.@Nullable Merger customMerger;

  @GuardedBy("this")
  private ConflictMerge.LossCount losses = ConflictMerge.LossCount.NONE;

  @GuardedBy("this")
  private long emptySegments;

  @GuardedBy("this")
  private long destroyedValues;

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
  synchronized void countLosses(OperationResult result) {
    losses = losses.plus(ConflictMerge.LossCount.of(result));
  }

  /** Counts segments that have begun empty. */
  public synchronized void countEmptySegments(int segments) {
    emptySegments += segments;
  }

  /** Counts values that were dropped because their cache was destroyed. */
  synchronized void countDestroyed(int values) {
    destroyedValues += values;
  }

  /** The losses so far. */
  public synchronized MergeLosses losses() {
    return new MergeLosses(
        losses.overwritten(),
        losses.removed(),
        losses.broughtBack(),
        emptySegments,
        destroyedValues);
  }
}
