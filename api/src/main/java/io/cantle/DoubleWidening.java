package io.cantle;

/**
 * A stream of numbers that can be widened to {@code double}. It is public for callers by
 * reflection.
 *
 * <p><b>Threading:</b> as for the streams that extend it.
 */
public interface DoubleWidening {

  /** Returns these elements as doubles, widened on the owners. */
  DoubleCacheStream asDoubleStream();
}
