package io.cantle;

/**
 * What a publisher tells segment by segment. All elements of a segment come before its end, of
 * which it has one, also if it has no elements.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface SegmentSignal<T> {

  /** Its number. */
  int segment();

  /** An element of a segment. */
  record Element<T>(int segment, T value) implements SegmentSignal<T> {}

  /** A segment is done: all of its elements have come. */
  record Completed<T>(int segment) implements SegmentSignal<T> {}

  /**
   * A segment could not be read to its end: every node that held it is gone, or, {@linkplain
   * Delivery#AT_MOST_ONCE at most once}, its owner was lost. What came of it before stays.
   */
  record Lost<T>(int segment) implements SegmentSignal<T> {}
}
