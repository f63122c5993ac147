package io.cantle.core.stream;

import java.util.Comparator;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operation that ends a recorded pipeline, as far as the owners have a part in it: what
 * combines and finishes their results stays with the node that asked. The elements of streams of
 * primitives are boxed here, but for counts and summaries.
 *
 * <p><b>Threading:</b> immutable; the functions are those of the user and run where they are
 * called.
 */
sealed interface Terminal {

  /** How an operation is named on the wire; the code is the place in this list. */
  enum Kind {
    ELEMENTS,
    COUNT,
    COLLECT,
    COLLECT_INTO,
    REDUCE,
    FOLD,
    MIN,
    MAX,
    ANY_MATCH,
    ALL_MATCH,
    FIND_ANY,
    FOR_EACH,
    FOR_EACH_IN,
    SUMMARY,
    FIRST
  }

  /** No end: the elements themselves are wanted. */
  record Elements() implements Terminal {}

  /** {@link Stream#count}. */
  record Count() implements Terminal {}

  /** {@link Stream#collect(Collector)}. */
  record Collect(Supplier<Collector<Object, Object, Object>> collector) implements Terminal {}

  /** {@link Stream#collect(Supplier, BiConsumer, BiConsumer)}. */
  record CollectInto(Supplier<Object> supplier, BiConsumer<Object, Object> accumulator)
      implements Terminal {}

  /** {@link Stream#reduce(BinaryOperator)}, and the one with an identity, which stays away. */
  record Reduce(BinaryOperator<Object> accumulator) implements Terminal {}

  /** {@link Stream#reduce(Object, BiFunction, BinaryOperator)}. */
  record Fold(@Nullable Object identity, BiFunction<Object, Object, Object> accumulator)
      implements Terminal {}

  /** {@link Stream#min}. */
  record Min(Comparator<Object> comparator) implements Terminal {}

  /** {@link Stream#max}. */
  record Max(Comparator<Object> comparator) implements Terminal {}

  /** {@link Stream#anyMatch}; that none matches is its opposite. */
  record AnyMatch(Predicate<Object> predicate) implements Terminal {}

  /** {@link Stream#allMatch}. */
  record AllMatch(Predicate<Object> predicate) implements Terminal {}

  /** {@link Stream#findAny}. */
  record FindAny() implements Terminal {}

  /** {@link Stream#forEach}. */
  record ForEach(Consumer<Object> action) implements Terminal {}

  /** For each element, with the cache of this name. */
  record ForEachIn(String cache, BiConsumer<Object, Object> action) implements Terminal {}

  /** {@link IntStream#summaryStatistics} and its kin, of which sums and averages are made. */
  record Summary() implements Terminal {}

  /** The first so many in an order. */
  record First(int count, Comparator<Object> order) implements Terminal {}
}
