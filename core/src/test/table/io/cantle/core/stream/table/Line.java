package io.cantle.core.stream.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A line of the table: a pipeline with a name, and how its result is compared with that of the JDK.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param name what the line is about
 * @param order how much of the result is determined
 * @param pipeline the use of a stream
 * @param whole returns all elements that the result may contain, for a line that delivers only some
 */
public record Line(
    String name, Order order, Function<Source, Object> pipeline, Function<Source, Object> whole) {

  /** How much of a result is determined. */
  public enum Order {
    /** The whole result. */
    SAME,
    /** The elements, in any order. */
    ANY,
    /** The number of elements, and the elements they are taken from. */
    SOME
  }

  private static final double TOLERANCE = 1e-12;

  /** A line whose pipeline has a single result. */
  static Line same(String name, Function<Source, Object> pipeline) {
    return new Line(name, Order.SAME, pipeline, pipeline);
  }

  /** A line whose elements have no order. */
  static Line any(String name, Function<Source, Object> pipeline) {
    return new Line(name, Order.ANY, pipeline, pipeline);
  }

  /** A line whose pipeline delivers some of the elements that another delivers. */
  static Line some(String name, Function<Source, Object> pipeline, Function<Source, Object> whole) {
    return new Line(name, Order.SOME, pipeline, whole);
  }

  /** All lines of the table. */
  public static List<Line> all() {
    List<Line> lines = new ArrayList<>();
    lines.addAll(StageLines.all());
    lines.addAll(OrderLines.all());
    lines.addAll(EndLines.all());
    lines.addAll(CollectLines.all());
    lines.addAll(IntLines.all());
    lines.addAll(LongLines.all());
    lines.addAll(DoubleLines.all());
    return lines;
  }

  /**
   * Runs the pipeline and returns its result, or the class of the exception that caused its
   * failure.
   *
   * @return null if that is the result
   */
  public @Nullable Object run(Source source) {
    try {
      return comparable(pipeline.apply(source));
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause.getClass();
    }
  }

  /** Describes what is wrong with a result; empty if nothing is. */
  public Optional<String> describeMismatch(Map<Integer, Trip> trips, @Nullable Object result) {
    Source jdk = Source.of(trips);
    Object expected = run(jdk);
    boolean right =
        switch (order) {
          case SAME -> equal(expected, result);
          case ANY -> equal(bag(expected), bag(result));
          case SOME -> size(expected) == size(result) && isWithin(whole.apply(jdk), result);
        };
    return right ? Optional.empty() : Optional.of(result + " and not " + expected);
  }

  private static int size(@Nullable Object result) {
    return result instanceof Collection<?> elements ? elements.size() : -1;
  }

  private static boolean isWithin(Object whole, @Nullable Object part) {
    Map<@Nullable Object, Integer> left = counted((Collection<?>) comparable(whole));
    for (Object element : (Collection<?>) comparable(part == null ? List.of() : part)) {
      if (left.merge(element, -1, Integer::sum) < 0) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Object bag(@Nullable Object result) {
    return switch (result) {
      case Collection<?> elements -> counted(elements);
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> bags = new HashMap<>();
        map.forEach((key, value) -> bags.put(key, bag(value)));
        yield bags;
      }
      case null, default -> result;
    };
  }

  private static Map<@Nullable Object, Integer> counted(Collection<?> elements) {
    Map<@Nullable Object, Integer> counts = new HashMap<>();
    for (Object element : elements) {
      counts.merge(element, 1, Integer::sum);
    }
    return counts;
  }

  /** Converts a result to an object that can be compared with {@code equals}. */
  private static Object comparable(Object result) {
    return switch (result) {
      case Object[] array -> Arrays.asList(array);
      case int[] array -> Arrays.stream(array).boxed().toList();
      case long[] array -> Arrays.stream(array).boxed().toList();
      case double[] array -> Arrays.stream(array).boxed().toList();
      case StringBuilder text -> text.toString();
      case OptionalDouble number -> number.isPresent() ? List.of(number.getAsDouble()) : List.of();
      case IntSummaryStatistics all ->
          List.of(all.getCount(), all.getMin(), all.getMax(), all.getSum());
      case LongSummaryStatistics all ->
          List.of(all.getCount(), all.getMin(), all.getMax(), all.getSum());
      case DoubleSummaryStatistics all ->
          List.of(all.getCount(), all.getMin(), all.getMax(), all.getSum());
      default -> result;
    };
  }

  /**
   * Whether two results are equal. Sums of doubles may differ a little, because their order is
   * open.
   */
  private static boolean equal(@Nullable Object expected, @Nullable Object result) {
    return switch (expected) {
      case Double number when result instanceof Double other ->
          number.equals(other)
              || Math.abs(number - other) <= TOLERANCE * Math.max(1, Math.abs(number));
      case List<?> list when result instanceof List<?> other -> {
        boolean same = list.size() == other.size();
        for (int i = 0; same && i < list.size(); i++) {
          same = equal(list.get(i), other.get(i));
        }
        yield same;
      }
      case Map<?, ?> map when result instanceof Map<?, ?> other -> {
        boolean same = map.keySet().equals(other.keySet());
        for (Object key : map.keySet()) {
          same = same && equal(map.get(key), other.get(key));
        }
        yield same;
      }
      case null -> result == null;
      default -> expected.equals(result);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
