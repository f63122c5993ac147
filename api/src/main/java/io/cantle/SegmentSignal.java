package io.cantle;

/**
 * A signal of a publisher about one segment. All elements of a segment come before its one end
 * signal; a segment without elements has an end signal too.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface SegmentSignal<T> {

  /** The number of the segment. */
  int segment();

  /** An element of a segment. */
  record Element<T>(int segment, T value) implements SegmentSignal<T> {}

  /** The end of a segment whose elements have all come. */
  record Completed<T>(int segment) implements SegmentSignal<T> {}

  /**
   * The end of a segment that could not be read completely: every node that held it is gone or,
   * with {@linkplain Delivery#AT_MOST_ONCE at-most-once delivery}, its owner was lost. Elements of
   * it that came before remain valid.
   */
  record Lost<T>(int segment) implements SegmentSignal<T> {}
}
