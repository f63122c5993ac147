package io.cantle.function;

import java.io.Serializable;
import java.util.function.$Type$BinaryOperator;
import java.util.function.$Type$Consumer;
import java.util.function.$Type$Function;
import java.util.function.$Type$Predicate;
import java.util.function.$Type$To$Second$Function;
import java.util.function.$Type$To$Third$Function;
import java.util.function.$Type$UnaryOperator;
import java.util.function.Obj$Type$Consumer;
import java.util.stream.$Type$Stream;

/**
 * The functions of {@code java.util.function} on {@code $type$} in a form that can be sent to
 * another node. A lambda or method reference becomes one when it is passed where one of these types
 * is expected. What it captures must be sendable as well.
 */
public interface $Type$Functions {

  /** A sendable {@link $Type$Predicate}. */
  @FunctionalInterface
  interface Predicate extends $Type$Predicate, Serializable {}

  /** A sendable {@link $Type$UnaryOperator}. */
  @FunctionalInterface
  interface UnaryOperator extends $Type$UnaryOperator, Serializable {}

  /** A sendable {@link $Type$Function}. */
  @FunctionalInterface
  interface ToObject<R> extends $Type$Function<R>, Serializable {}

  /** A sendable {@link $Type$To$Second$Function}. */
  @FunctionalInterface
  interface To$Second$ extends $Type$To$Second$Function, Serializable {}

  /** A sendable {@link $Type$To$Third$Function}. */
  @FunctionalInterface
  interface To$Third$ extends $Type$To$Third$Function, Serializable {}

  /** A sendable {@link $Type$Consumer}. */
  @FunctionalInterface
  interface Consumer extends $Type$Consumer, Serializable {}

  /** A sendable {@link $Type$BinaryOperator}. */
  @FunctionalInterface
  interface BinaryOperator extends $Type$BinaryOperator, Serializable {}

  /** A sendable {@link Obj$Type$Consumer}. */
  @FunctionalInterface
  interface Accumulator<R> extends Obj$Type$Consumer<R>, Serializable {}

  /** A sendable {@link $Type$Stream.$Type$MapMultiConsumer}. */
  @FunctionalInterface
  interface MapMulti extends $Type$Stream.$Type$MapMultiConsumer, Serializable {}
}
