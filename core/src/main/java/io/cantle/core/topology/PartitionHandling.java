package io.cantle.core.topology;

import io.cantle.MergePolicy;
import io.cantle.WhenCut;

/**
 * What nodes do that are cut off, and, if they go on, how they merge: {@link WhenCut} as the grid
 * knows it.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum PartitionHandling {
  /** They stop. */
  STOP("WhenCut.stop()"),
  /** They stop; of two, the older one does not. */
  OLDEST_DECIDES("WhenCut.oldestDecides()"),
  /** They go on; the later write stays. */
  NEWER("WhenCut.available(MergePolicy.newer())"),
  /** They go on; what the side holds that goes on stays. */
  MAJORITY("WhenCut.available(MergePolicy.majority())"),
  /** They go on; a key written on both sides is removed. */
  REMOVE("WhenCut.available(MergePolicy.remove())"),
  /** They go on; a function of the user's decides. */
  CUSTOM("WhenCut.available(MergePolicy.custom(...))");

  private static final PartitionHandling[] ALL = values();

  private final String text;

  PartitionHandling(String text) {
    this.text = text;
  }

  /** How a user says it. */
  public String text() {
    return text;
  }

  /** Whether nodes that are cut off go on. */
  public boolean prefersAvailability() {
    return this != STOP && this != OLDEST_DECIDES;
  }

  /** What the user has chosen. */
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

  /** The byte it is written as. */
  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  public int code() {
    return ordinal();
  }

  /** What {@link #code} stands for. */
  public static PartitionHandling of(int code) {
    if (code >= ALL.length) {
      throw new io.cantle.core.base.MalformedException("mode " + code + " is unknown");
    }
    return ALL[code];
  }
}
