package io.cantle;

/** A stream of numbers that can be widened to {@code long} and {@code double}. */
interface LongWidening extends DoubleWidening {

  /** Returns these elements as longs, widened on the owners. */
  LongCacheStream asLongStream();
}
