package io.cantle.core.ownership;

import io.cantle.MergePolicy;
import io.cantle.WhenCut;

/**
 * What nodes do when they are cut off from the majority and, if they continue, how they merge. It
 * is {@link WhenCut} in the form in which the grid keeps it.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum PartitionHandling {
  /** Nodes that are cut off stop. */
  STOP("WhenCut.stop()"),
  /** Nodes that are cut off stop; of two, the older one continues. */
  OLDEST_DECIDES("WhenCut.oldestDecides()"),
  /** Nodes that are cut off continue; on a merge, the later write wins. */
  NEWER("WhenCut.available(MergePolicy.newer())"),
  /** Nodes that are cut off continue; on a merge, the values of the surviving side win. */
  MAJORITY("WhenCut.available(MergePolicy.majority())"),
  /** Nodes that are cut off continue; on a merge, a key written on both sides is removed. */
  REMOVE("WhenCut.available(MergePolicy.remove())"),
  /** Nodes that are cut off continue; on a merge, a function of the user decides. */
  CUSTOM("WhenCut.available(MergePolicy.custom(...))");

  private final String text;

  PartitionHandling(String text) {
    this.text = text;
  }

  /** The expression by which a user chooses this. */
  public String text() {
    return text;
  }

  /** Whether nodes that are cut off continue. */
  boolean prefersAvailability() {
    return this != STOP && this != OLDEST_DECIDES;
  }

  /** Converts what the user has chosen. */
  public static PartitionHandling of(WhenCut chosen) {
    return switch (chosen) {
      case WhenCut.Stop() -> STOP;
      case WhenCut.OldestDecides() -> OLDEST_DECIDES;
      case WhenCut.Available(MergePolicy policy) ->
          switch (policy) {
            case MergePolicy.Newer() -> NEWER;
            case MergePolicy.Majority() -> MAJORITY;
            case MergePolicy.Remove() -> REMOVE;
            case MergePolicy.Custom(var merger) -> CUSTOM;
          };
    };
  }
}
