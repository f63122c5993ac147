package io.cantle.function;

import java.io.Serializable;
import java.util.Comparator;
import java.util.Objects;

/**
 * A {@link java.util.Comparator} that can be sent to another node. A lambda or method reference
 * becomes one when it is passed where this type is expected. What it captures must be sendable as
 * well. That is why this type has factory methods of its own: a lambda that is passed to {@link
 * Comparator#comparing} cannot be sent.
 */
@FunctionalInterface
public interface SerializableComparator<T> extends Comparator<T>, Serializable {

  /**
   * {@link Comparator#comparing(java.util.function.Function)}, for comparators that can be sent.
   */
  static <T, U extends Comparable<? super U>> SerializableComparator<T> comparing(
      SerializableFunction<? super T, ? extends U> key) {
    Objects.requireNonNull(key);
    return (left, right) -> key.apply(left).compareTo(key.apply(right));
  }

  /** {@link Comparator#comparingInt}, for comparators that can be sent. */
  static <T> SerializableComparator<T> comparingInt(SerializableToIntFunction<? super T> key) {
    Objects.requireNonNull(key);
    return (left, right) -> Integer.compare(key.applyAsInt(left), key.applyAsInt(right));
  }

  /** {@link Comparator#comparingLong}, for comparators that can be sent. */
  static <T> SerializableComparator<T> comparingLong(SerializableToLongFunction<? super T> key) {
    Objects.requireNonNull(key);
    return (left, right) -> Long.compare(key.applyAsLong(left), key.applyAsLong(right));
  }

  /** {@link Comparator#comparingDouble}, for comparators that can be sent. */
  static <T> SerializableComparator<T> comparingDouble(
      SerializableToDoubleFunction<? super T> key) {
    Objects.requireNonNull(key);
    return (left, right) -> Double.compare(key.applyAsDouble(left), key.applyAsDouble(right));
  }

  /** {@link Comparator#naturalOrder}, as a comparator that can be sent. */
  static <T extends Comparable<? super T>> SerializableComparator<T> naturalOrder() {
    return (left, right) -> left.compareTo(right);
  }

  /** {@link Comparator#reverseOrder}, as a comparator that can be sent. */
  static <T extends Comparable<? super T>> SerializableComparator<T> reverseOrder() {
    return (left, right) -> right.compareTo(left);
  }

  @Override
  default SerializableComparator<T> reversed() {
    return (left, right) -> compare(right, left);
  }

  /** {@link Comparator#thenComparing(Comparator)}, for comparators that can be sent. */
  default SerializableComparator<T> thenComparing(SerializableComparator<? super T> other) {
    Objects.requireNonNull(other);
    return (left, right) -> {
      int order = compare(left, right);
      return order != 0 ? order : other.compare(left, right);
    };
  }

  /**
   * {@link Comparator#thenComparing(java.util.function.Function)}, for comparators that can be
   * sent.
   */
  default <U extends Comparable<? super U>> SerializableComparator<T> thenComparing(
      SerializableFunction<? super T, ? extends U> key) {
    return thenComparing(comparing(key));
  }

  /** {@link Comparator#thenComparingInt}, for comparators that can be sent. */
  default SerializableComparator<T> thenComparingInt(SerializableToIntFunction<? super T> key) {
    return thenComparing(comparingInt(key));
  }

  /** {@link Comparator#thenComparingLong}, for comparators that can be sent. */
  default SerializableComparator<T> thenComparingLong(SerializableToLongFunction<? super T> key) {
    return thenComparing(comparingLong(key));
  }

  /** {@link Comparator#thenComparingDouble}, for comparators that can be sent. */
  default SerializableComparator<T> thenComparingDouble(
      SerializableToDoubleFunction<? super T> key) {
    return thenComparing(comparingDouble(key));
  }
}
