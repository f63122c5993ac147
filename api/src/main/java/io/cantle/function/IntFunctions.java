package io.cantle.function;

import java.io.Serializable;
import java.util.function.IntBinaryOperator;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/**
 * The functions of {@code java.util.function} on {@code int} in a form that can be sent to another
 * node. A lambda or method reference becomes one when it is passed where one of these types is
 * expected. What it captures must be sendable as well.
 */
public interface IntFunctions {

  /** An {@link IntPredicate}. */
  @FunctionalInterface
  interface Predicate extends IntPredicate, Serializable {}

  /** An {@link IntUnaryOperator}. */
  @FunctionalInterface
  interface UnaryOperator extends IntUnaryOperator, Serializable {}

  /** An {@link IntFunction}. */
  @FunctionalInterface
  interface ToObject<R> extends IntFunction<R>, Serializable {}

  /** An {@link IntToLongFunction}. */
  @FunctionalInterface
  interface ToLong extends IntToLongFunction, Serializable {}

  /** An {@link IntToDoubleFunction}. */
  @FunctionalInterface
  interface ToDouble extends IntToDoubleFunction, Serializable {}

  /** An {@link IntConsumer}. */
  @FunctionalInterface
  interface Consumer extends IntConsumer, Serializable {}

  /** An {@link IntBinaryOperator}. */
  @FunctionalInterface
  interface BinaryOperator extends IntBinaryOperator, Serializable {}

  /** An {@link ObjIntConsumer}. */
  @FunctionalInterface
  interface Accumulator<R> extends ObjIntConsumer<R>, Serializable {}

  /** An {@link IntStream.IntMapMultiConsumer}. */
  @FunctionalInterface
  interface MapMulti extends IntStream.IntMapMultiConsumer, Serializable {}
}
