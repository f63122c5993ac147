package io.cantle;

/**
 * A stream of numbers that can be widened to {@code long} and {@code double}. It is public for
 * callers by reflection.
 *
 * <p><b>Threading:</b> as for the streams that extend it.
 */
public interface LongWidening extends DoubleWidening {

  /** Returns these elements as longs, widened on the owners. */
  LongCacheStream asLongStream();
}
