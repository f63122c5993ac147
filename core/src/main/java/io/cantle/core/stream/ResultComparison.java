package io.cantle.core.stream;

import io.cantle.core.codec.InstanceFields;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether two results are certainly not the same. Rounding makes no difference, nor does the
 * order of a collection. Objects of the application are compared by what is in their fields,
 * whether or not they define equality. What cannot be compared may be the same.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ResultComparison {
  private static final double MAX_RELATIVE_ERROR = 1e-9;
  private static final double MAX_RELATIVE_ERROR_OF_FLOATS = 1e-4;

  /** Objects within more objects than this may be the same. */
  private static final int MAX_DEPTH = 64;

  /** The most objects that are looked into. Objects may refer to each other in circles. */
  private static final int MAX_OBJECTS = 10_000;

  private int objects;

  private ResultComparison() {}

  /** Whether two results are certainly not the same. */
  static boolean isDifferent(@Nullable Object left, @Nullable Object right) {
    return new ResultComparison().isDifferent(left, right, 0);
  }

  private boolean isDifferent(@Nullable Object left, @Nullable Object right, int depth) {
    if (Objects.deepEquals(left, right) || depth > MAX_DEPTH || objects++ > MAX_OBJECTS) {
      return false;
    }
    if (left == null || right == null) {
      return true;
    }
    int inside = depth + 1;
    return switch (left) {
      case Number number when right instanceof Number other -> isDifferent(number, other);
      case CharSequence text when right instanceof CharSequence other ->
          CharSequence.compare(text, other) != 0;
      case Map<?, ?> map when right instanceof Map<?, ?> other -> isDifferent(map, other, inside);
      case Collection<?> all when right instanceof Collection<?> others -> isDifferent(all, others);
      case Map.Entry<?, ?> entry when right instanceof Map.Entry<?, ?> other ->
          isDifferent(entry.getKey(), other.getKey(), inside)
              || isDifferent(entry.getValue(), other.getValue(), inside);
      case Object _ when isExact(left) -> isExact(right);
      case Object _ when left.getClass() == right.getClass() ->
          isAnyDifferent(partsOf(left), partsOf(right), inside);
      default -> false;
    };
  }

  private static boolean isDifferent(Number left, Number right) {
    if (isExact(left) && isExact(right)) {
      return left.getClass() == right.getClass() || left.longValue() != right.longValue();
    }
    double first = left.doubleValue();
    double second = right.doubleValue();
    double error =
        left instanceof Float || right instanceof Float
            ? MAX_RELATIVE_ERROR_OF_FLOATS
            : MAX_RELATIVE_ERROR;
    double scale = Math.max(1, Math.max(Math.abs(first), Math.abs(second)));
    return Math.abs(first - second) > error * scale;
  }

  private boolean isDifferent(Map<?, ?> left, Map<?, ?> right, int depth) {
    if (left.size() != right.size()) {
      return true;
    }
    if (!Stream.of(left, right).flatMap(map -> map.keySet().stream()).allMatch(k -> isExact(k))) {
      return false;
    }
    // A map that was sent may have lost its order, and then finds nothing.
    Map<?, ?> others = new HashMap<>(right);
    return left.entrySet().stream()
        .anyMatch(
            entry ->
                !others.containsKey(entry.getKey())
                    || isDifferent(entry.getValue(), others.get(entry.getKey()), depth));
  }

  private static boolean isDifferent(Collection<?> left, Collection<?> right) {
    return left.size() != right.size()
        || (Stream.of(left, right).flatMap(all -> all.stream()).allMatch(e -> isExact(e))
            && !countElements(left).equals(countElements(right)));
  }

  private static Map<Object, Integer> countElements(Collection<?> all) {
    Map<Object, Integer> counts = new HashMap<>();
    all.forEach(element -> counts.merge(element, 1, Integer::sum));
    return counts;
  }

  private boolean isAnyDifferent(
      List<? extends @Nullable Object> left, List<? extends @Nullable Object> right, int depth) {
    boolean isDifferent = left.size() != right.size();
    for (int i = 0; !isDifferent && i < left.size(); i++) {
      isDifferent = isDifferent(left.get(i), right.get(i), depth);
    }
    return isDifferent;
  }

  /** Whether equality of a value is a matter of fact, and never of rounding or identity. */
  private static boolean isExact(@Nullable Object value) {
    return switch (value) {
      case null -> false;
      case Double _, Float _, BigDecimal _ -> false;
      case Boolean _, Character _, String _, Enum<?> _ -> true;
      default -> {
        String name = value.getClass().getName();
        yield name.equals("java.math.BigInteger")
            || name.equals("java.util.UUID")
            || (value instanceof Number && name.startsWith("java.lang."))
            || (name.startsWith("java.time.") && name.indexOf('.', "java.time.".length()) < 0);
      }
    };
  }

  /** What an object consists of; nothing if that cannot be seen. */
  private static List<? extends @Nullable Object> partsOf(Object object) {
    return switch (object) {
      case Optional<?> optional -> optional.stream().toList();
      case OptionalDouble optional -> optional.stream().boxed().toList();
      case AtomicReference<?> reference -> Arrays.asList(reference.get());
      case StringJoiner joiner -> List.of(joiner.toString());
      case BitSet bits -> List.of(bits.toString());
      case IntSummaryStatistics all ->
          List.of(all.getCount(), all.getSum(), all.getMin(), all.getMax());
      case LongSummaryStatistics all ->
          List.of(all.getCount(), all.getSum(), all.getMin(), all.getMax());
      case DoubleSummaryStatistics all ->
          List.of(all.getCount(), all.getSum(), all.getMin(), all.getMax());
      case Object[] array -> Arrays.asList(array);
      case Object _ when object.getClass().isArray() -> {
        @Nullable Object[] elements = new Object[Array.getLength(object)];
        Arrays.setAll(elements, i -> Array.get(object, i));
        yield Arrays.asList(elements);
      }
      default -> Arrays.asList(InstanceFields.read(object));
    };
  }
}
