package io.cantle.core.stream;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices functions of the user with which the result of a reduction would depend on how the
 * entries are divided among owners. The JDK demands the same of its parallel streams, but a stream
 * that was written for one thread works without it, and would silently give something else here.
 *
 * <p>Functions are tried on elements and results until one shows what it does. A function is
 * refused only for results that are certainly different ({@link ResultComparison}), and that it
 * gives twice.
 *
 * <p><b>Threading:</b> one thread.
 */
@SuppressWarnings("NullAway") // Elements and results may be null, if the user's functions allow it.
final class ReductionCheck {
  /** The most results that are tried. One that is like the identity shows nothing. */
  private static final int MAX_RESULTS = 8;

  private int resultsLeft = MAX_RESULTS;

  /**
   * Checks that a reduction without a combiner may combine partial results. It is tried on
   * integers, which nothing rounds.
   *
   * @throws IllegalArgumentException if the operator is certainly not associative
   */
  static <T> void checkAssociative(T first, T second, T third, BinaryOperator<T> operator) {
    if (!isInteger(first) || !isInteger(second) || !isInteger(third)) {
      return;
    }
    T left;
    T right;
    try {
      left = operator.apply(operator.apply(first, second), third);
      right = operator.apply(first, operator.apply(second, third));
    } catch (RuntimeException e) {
      // These operands are not the user's: an overflow for instance says nothing.
      return;
    }
    if (!Objects.equals(left, right)) {
      throw new IllegalArgumentException(
          ("the function given to reduce is not associative: %s, %s and %s make %s if the first two"
                  + " are reduced first, and %s otherwise. Owners reduce parts of the cache, so the"
                  + " result would depend on what they own. Use an associative function, or let it"
                  + " run on the calling node: give it as a BinaryOperator")
              .formatted(first, second, third, left, right));
    }
  }

  private static boolean isInteger(Object value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte
        || value instanceof BigInteger;
  }

  /**
   * Checks that a value changes nothing when it is combined with the result of an owner, which
   * began with such a value too.
   *
   * @param identity makes a copy of the value
   * @param result makes a copy of the result
   * @param combiner may change its operands
   * @param isComplete whether a copy of a result can do all that the result can; otherwise it may
   *     only be the right operand
   * @throws IllegalArgumentException if the value is certainly no identity
   */
  <U> void checkIdentity(
      String method,
      Supplier<U> identity,
      Supplier<U> result,
      BinaryOperator<U> combiner,
      boolean isComplete) {
    if (resultsLeft == 0) {
      return;
    }
    resultsLeft--;
    U expected = result.get();
    Supplier<U> onTheRight = () -> combiner.apply(identity.get(), result.get());
    boolean isChanged;
    try {
      isChanged = isChanged(expected, onTheRight);
    } catch (RuntimeException e) {
      // The first result would be combined in just this way.
      throw new IllegalArgumentException(
          "the combiner of %s threw %s. %s".formatted(method, e, explain()), e);
    }
    Supplier<U> onTheLeft = () -> combiner.apply(result.get(), identity.get());
    if (isChanged) {
      throw noIdentity(method, identity.get(), expected, onTheRight.get());
    }
    if (isComplete && isChangedIfAllowed(expected, onTheLeft)) {
      throw noIdentity(method, identity.get(), expected, onTheLeft.get());
    }
    if (ResultComparison.isDifferent(identity.get(), expected)) {
      resultsLeft = 0;
    }
  }

  /**
   * Checks that what a collector begins with changes nothing when it is combined with the like.
   *
   * @throws IllegalArgumentException if two new containers certainly make another one
   */
  @SuppressWarnings("ReferenceEquality") // It asks for the same object.
  static <A> void checkNewContainers(
      String method, Supplier<A> containers, BinaryOperator<A> combiner) {
    A expected = containers.get();
    if (expected == containers.get()) {
      // It belongs to the user, and the combiner would change it.
      return;
    }
    Supplier<A> combination = () -> combiner.apply(containers.get(), containers.get());
    if (isChangedIfAllowed(expected, combination)) {
      throw noIdentity(method, expected, expected, combination.get());
    }
  }

  private static <U> boolean isChanged(U expected, Supplier<U> combination) {
    U combined = combination.get();
    // What is different each time, such as a time, is different for another reason.
    return ResultComparison.isDifferent(expected, combined)
        && !ResultComparison.isDifferent(combined, combination.get());
  }

  /** As {@link #isChanged}, for operands that the user's combiner need not expect. */
  private static <U> boolean isChangedIfAllowed(U expected, Supplier<U> combination) {
    try {
      return isChanged(expected, combination);
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static IllegalArgumentException noIdentity(
      String method, Object identity, Object result, Object combined) {
    return new IllegalArgumentException(
        ("%s begins with %s, which is no identity of its combiner: combined with the result %s it"
                + " makes %s. %s")
            .formatted(method, show(identity), show(result), show(combined), explain()));
  }

  private static String explain() {
    return "Each owner begins with it, and the combiner puts their results together. Begin with a"
        + " value that changes nothing, such as 0 for a sum, and add what else there is to the"
        + " result; or run it on this node: give the functions as their java.util.function types";
  }

  private static String show(@Nullable Object value) {
    String list = Arrays.deepToString(new @Nullable Object[] {value});
    String text = list.substring(1, list.length() - 1);
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }
}
