package io.cantle;

/** A stream of numbers that can be widened to {@code double}. */
interface DoubleWidening {

  /** Returns these elements as doubles, widened on the owners. */
  DoubleCacheStream asDoubleStream();
}
