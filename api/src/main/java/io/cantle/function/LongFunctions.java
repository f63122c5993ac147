package io.cantle.function;

import java.io.Serializable;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.ObjLongConsumer;
import java.util.stream.LongStream;

/**
 * The functions of {@code java.util.function} on {@code long} in a form that can be sent to another
 * node. A lambda or method reference becomes one when it is passed where one of these types is
 * expected. What it captures must be sendable as well.
 */
public interface LongFunctions {

  /** A {@link LongPredicate}. */
  @FunctionalInterface
  interface Predicate extends LongPredicate, Serializable {}

  /** A {@link LongUnaryOperator}. */
  @FunctionalInterface
  interface UnaryOperator extends LongUnaryOperator, Serializable {}

  /** A {@link LongFunction}. */
  @FunctionalInterface
  interface ToObject<R> extends LongFunction<R>, Serializable {}

  /** A {@link LongToIntFunction}. */
  @FunctionalInterface
  interface ToInt extends LongToIntFunction, Serializable {}

  /** A {@link LongToDoubleFunction}. */
  @FunctionalInterface
  interface ToDouble extends LongToDoubleFunction, Serializable {}

  /** A {@link LongConsumer}. */
  @FunctionalInterface
  interface Consumer extends LongConsumer, Serializable {}

  /** A {@link LongBinaryOperator}. */
  @FunctionalInterface
  interface BinaryOperator extends LongBinaryOperator, Serializable {}

  /** An {@link ObjLongConsumer}. */
  @FunctionalInterface
  interface Accumulator<R> extends ObjLongConsumer<R>, Serializable {}

  /** A {@link LongStream.LongMapMultiConsumer}. */
  @FunctionalInterface
  interface MapMulti extends LongStream.LongMapMultiConsumer, Serializable {}
}
