package io.cantle;

import org.jspecify.annotations.Nullable;

/**
 * Decides the value of a key that was written on both sides of a partition, when sides that went on
 * as {@linkplain WhenCut.Available available} meet again. A key that was written on one side only
 * keeps what it has there, whatever the policy, if an owner of the key was on that side. Otherwise
 * the segment began empty there, and its first writes count as written on both sides.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface MergePolicy {

  /** The later write wins, by the nodes' clocks, which follow each other and the time of day. */
  static MergePolicy newer() {
    return new Newer();
  }

  /** The surviving side wins: the side with the majority if there is one, else the larger side. */
  static MergePolicy majority() {
    return new Majority();
  }

  /** The key is removed. */
  static MergePolicy remove() {
    return new Remove();
  }

  /**
   * A function decides. Every node needs the same function; on a node that was started without it,
   * {@link #newer} decides.
   */
  static MergePolicy custom(Merger merger) {
    return new Custom(merger);
  }

  /** See {@link MergePolicy#newer}. */
  record Newer() implements MergePolicy {}

  /** See {@link MergePolicy#majority}. */
  record Majority() implements MergePolicy {}

  /** See {@link MergePolicy#remove}. */
  record Remove() implements MergePolicy {}

  /**
   * See {@link MergePolicy#custom}.
   *
   * @param merger the function that decides
   */
  record Custom(Merger merger) implements MergePolicy {}

  /** Decides the value of a key that was written on both sides. */
  @FunctionalInterface
  interface Merger {
    /**
     * Decides. It is called on the primary of the key, may be called more than once, and must
     * return the same result each time. If it throws, {@link MergePolicy#newer} decides.
     *
     * @param cache the name of the cache: there is one function for the whole grid
     * @param key the key
     * @param ours the value of the surviving side, null if that side removed the key
     * @param theirs the value of the side that joins it, null if that side removed the key
     * @return the value the key is to have, null to remove it
     */
    @Nullable Object merge(
        String cache, Object key, @Nullable Object ours, @Nullable Object theirs);
  }
}
