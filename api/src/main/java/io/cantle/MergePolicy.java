package io.cantle;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a key that was written on both sides of a partition, when the sides of a grid
 * that went on as {@linkplain WhenCut.Available available} meet again. A key that was written on
 * one side only keeps what it has there, whatever the policy.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface MergePolicy {

  /** The write that was made later stays, by clocks that follow each other and the time of day. */
  static MergePolicy newer() {
    return new Newer();
  }

  /** What the side holds that goes on stays: the majority's if there is one, else the larger. */
  static MergePolicy majority() {
    return new Majority();
  }

  /** The key is removed. */
  static MergePolicy remove() {
    return new Remove();
  }

  /**
   * A function decides. Every node needs the same one; where a node was started without, {@link
   * #newer} holds.
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
   * @param merger decides
   */
  record Custom(Merger merger) implements MergePolicy {}

  /** Decides what a key holds that was written on both sides. */
  @FunctionalInterface
  interface Merger {
    /**
     * Decides. It is called on the primary of the key, may be called more than once, and must give
     * the same each time. When it throws, {@link MergePolicy#newer} holds.
     *
     * @param cache the name of the cache: there is one function for all of a grid
     * @param key the key
     * @param ours the value of the side that goes on, null if that removed the key
     * @param theirs the value of the side that joins it, null if that removed the key
     * @return the value the key is to have, null to remove it
     */
    @Nullable Object merge(
        String cache, Object key, @Nullable Object ours, @Nullable Object theirs);
  }
}
