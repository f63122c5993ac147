package io.cantle.function;

import java.io.Serializable;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.DoubleToIntFunction;
import java.util.function.DoubleToLongFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ObjDoubleConsumer;
import java.util.stream.DoubleStream;

/**
 * The functions of {@code java.util.function} on {@code double} in a form that can be sent to
 * another node. A lambda or method reference becomes one when it is passed where one of these types
 * is expected. What it captures must be sendable as well.
 */
public interface DoubleFunctions {

  /** A {@link DoublePredicate}. */
  @FunctionalInterface
  interface Predicate extends DoublePredicate, Serializable {}

  /** A {@link DoubleUnaryOperator}. */
  @FunctionalInterface
  interface UnaryOperator extends DoubleUnaryOperator, Serializable {}

  /** A {@link DoubleFunction}. */
  @FunctionalInterface
  interface ToObject<R> extends DoubleFunction<R>, Serializable {}

  /** A {@link DoubleToIntFunction}. */
  @FunctionalInterface
  interface ToInt extends DoubleToIntFunction, Serializable {}

  /** A {@link DoubleToLongFunction}. */
  @FunctionalInterface
  interface ToLong extends DoubleToLongFunction, Serializable {}

  /** A {@link DoubleConsumer}. */
  @FunctionalInterface
  interface Consumer extends DoubleConsumer, Serializable {}

  /** A {@link DoubleBinaryOperator}. */
  @FunctionalInterface
  interface BinaryOperator extends DoubleBinaryOperator, Serializable {}

  /** An {@link ObjDoubleConsumer}. */
  @FunctionalInterface
  interface Accumulator<R> extends ObjDoubleConsumer<R>, Serializable {}

  /** A {@link DoubleStream.DoubleMapMultiConsumer}. */
  @FunctionalInterface
  interface MapMulti extends DoubleStream.DoubleMapMultiConsumer, Serializable {}
}
