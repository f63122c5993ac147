package io.cantle.core.stream;

import io.cantle.core.base.Output;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices functions of the user with which the result of a reduction would depend on how the
 * entries are divided among owners. The JDK demands the same of its parallel streams, but a stream
 * that was written for one thread works without it, and would silently give something else here.
 *
 * <p>Functions are tried on the results of owners until one shows what it does. What cannot be
 * compared for certain is taken to be right: objects that do not define equality, and rounding.
 *
 * <p><b>Threading:</b> one thread.
 */
@SuppressWarnings("NullAway") // Elements and results may be null, if the user's functions allow it.
final class ReductionCheck {
  private static final double MAX_RELATIVE_ERROR = 1e-9;

  private final ElementCodec elementCodec;
  private boolean isDone;

  ReductionCheck(ElementCodec elementCodec) {
    this.elementCodec = elementCodec;
  }

  /**
   * Checks that a reduction without a combiner may combine partial results.
   *
   * @param first the left operand so far
   * @param second the result of an owner
   * @throws IllegalArgumentException if the operator is certainly not associative
   */
  <T> void checkAssociative(T first, T second, BinaryOperator<T> operator) {
    if (!isExact(first) || !isExact(second)) {
      return;
    }
    T left;
    T right;
    try {
      left = operator.apply(operator.apply(first, second), second);
      right = operator.apply(first, operator.apply(second, second));
    } catch (RuntimeException e) {
      // These operands are not the user's: an overflow for instance says nothing.
      return;
    }
    if (!Objects.equals(left, right)) {
      throw new IllegalArgumentException(
          ("the function given to reduce is not associative: %s, %s and %s make %s if the first two"
                  + " are reduced first, and %s otherwise. Owners reduce parts of the cache, so the"
                  + " result would depend on what they own. Use an associative function, or let it"
                  + " run on this node: give it as a BinaryOperator")
              .formatted(first, second, second, left, right));
    }
  }

  private static boolean isExact(Object value) {
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
   * @throws IllegalArgumentException if the value is certainly no identity
   */
  <U> void checkIdentity(
      String method, Supplier<U> identity, Supplier<U> result, BinaryOperator<U> combiner) {
    if (isDone) {
      return;
    }
    U combinedRight;
    U combinedLeft;
    try {
      combinedRight = combiner.apply(identity.get(), result.get());
      combinedLeft = combiner.apply(result.get(), identity.get());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "the combiner of %s threw %s. %s".formatted(method, e, explain()), e);
    }
    U expected = result.get();
    U wrong = isDifferent(expected, combinedRight) ? combinedRight : combinedLeft;
    if (isDifferent(expected, wrong)) {
      throw new IllegalArgumentException(
          ("%s begins with %s, which is no identity of its combiner: combined with the result %s it"
                  + " makes %s. %s")
              .formatted(method, show(identity.get()), show(expected), show(wrong), explain()));
    }
    isDone = isDifferent(identity.get(), expected);
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

  /** Whether two objects are certainly not the same. */
  private boolean isDifferent(@Nullable Object left, @Nullable Object right) {
    if (Objects.deepEquals(left, right)) {
      return false;
    }
    if (left == null || right == null) {
      return true;
    }
    return switch (left) {
      case Double number when right instanceof Double other -> isFar(number, other);
      case Float number when right instanceof Float other -> isFar(number, other);
      case CharSequence text when right instanceof CharSequence other ->
          CharSequence.compare(text, other) != 0;
      case Map<?, ?> map when right instanceof Map<?, ?> other -> isDifferent(map, other);
      case List<?> list when right instanceof List<?> other ->
          list.size() != other.size() || isDifferent(list.toArray(), other.toArray());
      // Elements that do not define equality may be the same.
      case Collection<?> all when right instanceof Collection<?> others ->
          all.size() != others.size();
      case Object _ when left.getClass().isArray() && right.getClass().isArray() ->
          isDifferentArray(left, right);
      default -> definesEquality(left.getClass()) && hasOtherBytes(left, right);
    };
  }

  private boolean isDifferent(Map<?, ?> left, Map<?, ?> right) {
    return left.size() != right.size()
        || left.entrySet().stream()
            .anyMatch(
                entry ->
                    !right.containsKey(entry.getKey())
                        || isDifferent(entry.getValue(), right.get(entry.getKey())));
  }

  private boolean isDifferentArray(Object left, Object right) {
    int length = Array.getLength(left);
    boolean isDifferent = length != Array.getLength(right);
    for (int i = 0; !isDifferent && i < length; i++) {
      isDifferent = isDifferent(Array.get(left, i), Array.get(right, i));
    }
    return isDifferent;
  }

  private static boolean isFar(double left, double right) {
    double scale = Math.max(1, Math.max(Math.abs(left), Math.abs(right)));
    return Math.abs(left - right) > MAX_RELATIVE_ERROR * scale;
  }

  private static boolean definesEquality(Class<?> type) {
    try {
      return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("no equals in " + type.getName(), e);
    }
  }

  /** A record that contains arrays, for instance, may be the same although it is not equal. */
  private boolean hasOtherBytes(Object left, Object right) {
    return !Arrays.equals(encode(left), encode(right));
  }

  private byte[] encode(Object value) {
    Output out = new Output(64);
    elementCodec.write(value, out);
    return out.toByteArray();
  }
}
