package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes apart and makes the containers of the JDK's collectors that are classes of their own: those
 * of {@code partitioningBy}, of {@code teeing}, and of the {@code reducing} that {@code minBy} and
 * {@code maxBy} are made of. They cannot be named, and the package that has them is not open; but a
 * combiner is handed their content, and a supplier fills them, so collectors made for that purpose
 * do both.
 *
 * <p>A box of teeing or reducing calls the functions of the collector that made it. One made here
 * has none worth calling: it serves as the right operand of a combiner, never as the left.
 *
 * <p><b>Threading:</b> stateless.
 */
final class Boxes {
  private static final Object MARK = new Object();

  private static final Class<?> PARTITION = partition(MARK, MARK).getClass();
  private static final Class<?> PAIR = pair(MARK, MARK).getClass();
  private static final Class<?> OPTION = option(List.of()).getClass();

  private Boxes() {}

  /** The two containers of teeing. */
  record Sides(@Nullable Object left, @Nullable Object right) {}

  static boolean isPartition(@Nullable Object container) {
    return container != null && container.getClass() == PARTITION;
  }

  static boolean isPair(@Nullable Object container) {
    return container != null && container.getClass() == PAIR;
  }

  static boolean isOption(@Nullable Object container) {
    return container != null && container.getClass() == OPTION;
  }

  /** The container of the elements that match, or of those that do not. */
  static @Nullable Object side(Object partition, boolean matching) {
    return ((Map<?, ?>) partition).get(matching);
  }

  static Object partition(@Nullable Object matching, @Nullable Object others) {
    // The supplier is asked for the matching ones first; a test holds the JDK to it.
    return fresh(Collectors.partitioningBy(element -> true, supplying(matching, others)));
  }

  static Object pair(@Nullable Object left, @Nullable Object right) {
    return fresh(Collectors.teeing(supplying(left), supplying(right), (a, b) -> MARK));
  }

  static Sides sides(Object pair) {
    List<@Nullable Object> left = new ArrayList<>(1);
    List<@Nullable Object> right = new ArrayList<>(1);
    combine(Collectors.teeing(noting(left), noting(right), (a, b) -> MARK), null, pair);
    return new Sides(left.getFirst(), right.getFirst());
  }

  /** A reducing box that holds the one object, which may be null, or none. */
  static Object option(List<? extends @Nullable Object> held) {
    Collector<Object, ?, ?> collector = Collectors.reducing((a, b) -> a);
    return held.isEmpty() ? fresh(collector) : holding(collector, held.getFirst());
  }

  /** The one object that a reducing box holds, or none. */
  static List<@Nullable Object> held(Object option) {
    List<@Nullable Object> seen = new ArrayList<>(1);
    combine(
        Collectors.reducing(
            (Object mine, Object other) -> {
              seen.add(other);
              return mine;
            }),
        MARK,
        option);
    return seen;
  }

  /** Hands out the containers it is given. */
  private static Collector<Object, Object, Object> supplying(@Nullable Object... containers) {
    Iterator<@Nullable Object> rest = Arrays.asList(containers).iterator();
    return Collector.of(rest::next, (container, element) -> {}, (left, right) -> left);
  }

  /** Notes the right operand when it is combined. */
  private static Collector<Object, Object, Object> noting(List<@Nullable Object> seen) {
    return Collector.of(
        () -> MARK,
        (container, element) -> {},
        (left, right) -> {
          seen.add(right);
          return left;
        });
  }

  private static <A> A fresh(Collector<Object, A, ?> collector) {
    return collector.supplier().get();
  }

  private static <A> A holding(Collector<Object, A, ?> collector, @Nullable Object element) {
    A container = fresh(collector);
    // The JDK lets elements be null, though its types as read here do not say so.
    @SuppressWarnings("NullAway")
    Object accepted = element;
    collector.accumulator().accept(container, accepted);
    return container;
  }

  @SuppressWarnings("unchecked")
  private static <A> void combine(
      Collector<Object, A, ?> collector, @Nullable Object first, Object right) {
    A left = first == null ? fresh(collector) : holding(collector, first);
    A _ = collector.combiner().apply(left, (A) right);
  }
}
