package io.cantle;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.function.BinaryOperator;

/**
 * Refuses a first value of a reduction that would count more than once, because each part of a
 * cache begins with it. Numbers and texts can be tried here and now; other values may be changed by
 * the operator, and are taken to be right.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class IdentityCheck {
  private static final double MAX_RELATIVE_ERROR = 1e-4;

  private IdentityCheck() {}

  /**
   * Checks that a value combined with itself is the same value.
   *
   * @throws IllegalArgumentException if it certainly is not
   */
  static <U> void requireIdentity(U identity, BinaryOperator<U> operator) {
    if (!isExact(identity) && !isRounded(identity)) {
      return;
    }
    U combined;
    try {
      combined = operator.apply(identity, identity);
    } catch (RuntimeException e) {
      // The operator need not expect these operands.
      return;
    }
    if (isDifferent(identity, combined)) {
      throw new IllegalArgumentException(
          ("reducing begins with %s, which is no identity of its operator: with itself it makes %s."
                  + " Each part of the cache begins with it. Begin with a value that changes"
                  + " nothing, such as 0 for a sum, and add what else there is to the result; or"
                  + " run it on this node: use Collectors.reducing")
              .formatted(identity, combined));
    }
  }

  private static boolean isDifferent(Object value, Object other) {
    return isExact(value)
        ? !value.equals(other)
        : isRounded(other) && isFar(((Number) value).doubleValue(), ((Number) other).doubleValue());
  }

  private static boolean isFar(double left, double right) {
    double scale = Math.max(1, Math.max(Math.abs(left), Math.abs(right)));
    return Math.abs(left - right) > MAX_RELATIVE_ERROR * scale;
  }

  private static boolean isExact(Object value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte
        || value instanceof BigInteger
        || value instanceof Boolean
        || value instanceof Character
        || value instanceof String;
  }

  private static boolean isRounded(Object value) {
    return value instanceof Double || value instanceof Float || value instanceof BigDecimal;
  }
}
