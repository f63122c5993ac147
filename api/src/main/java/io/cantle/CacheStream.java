package io.cantle;

import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableBinaryOperator;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableConsumer;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import java.util.Optional;
import java.util.stream.Collector;
import java.util.stream.Stream;

/**
 * A stream over the entries of a cache. Its stages run on the nodes that own the entries; only
 * results travel. Each entry present throughout counts exactly once, through join, leave and crash;
 * entries that come or go meanwhile count once or not at all. A result that could not be completed
 * is an exception, never a part of it.
 *
 * <p>The methods declared here take serializable functions: a lambda written in place becomes one
 * without a cast. Every other method of {@link Stream} works too: from the first one that was not
 * given a serializable function, or that needs an order or the whole, the rest of the stream runs
 * on the calling node over the entries as they arrive.
 *
 * <p>Functions must not change the objects they are given: owners keep decoded objects and share
 * them between streams. A function may run more than once for an entry if a node fails in the
 * middle; its earlier results are then dropped. {@link #forEach(SerializableConsumer)} is the
 * exception: its side effects cannot be taken back, so it is at least once when a node fails.
 *
 * <p><b>Threading:</b> one thread, the one that made it; functions run on many.
 */
public interface CacheStream<T> extends Stream<T> {

  /** {@link Stream#filter} on the owners. */
  CacheStream<T> filter(SerializablePredicate<? super T> predicate);

  /** {@link Stream#map} on the owners. */
  <R> CacheStream<R> map(SerializableFunction<? super T, ? extends R> mapper);

  /** {@link Stream#flatMap} on the owners. */
  <R> CacheStream<R> flatMap(SerializableFunction<? super T, ? extends Stream<? extends R>> mapper);

  /**
   * Collects on the owners with the collector each of them makes for itself, and merges the partial
   * results with its combiner: {@code collect(() -> Collectors.groupingBy(Flight::hour,
   * Collectors.counting()))}.
   */
  <R, A> R collect(SerializableSupplier<Collector<? super T, A, R>> collector);

  /**
   * {@link Stream#collect(java.util.function.Supplier, java.util.function.BiConsumer,
   * java.util.function.BiConsumer)} on the owners; their results are combined here.
   */
  <R> R collect(
      SerializableSupplier<R> supplier,
      SerializableBiConsumer<R, ? super T> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link Stream#reduce(Object, java.util.function.BinaryOperator)} on the owners. */
  T reduce(T identity, SerializableBinaryOperator<T> accumulator);

  /** {@link Stream#reduce(java.util.function.BinaryOperator)} on the owners. */
  Optional<T> reduce(SerializableBinaryOperator<T> accumulator);

  /**
   * {@link Stream#reduce(Object, java.util.function.BiFunction, java.util.function.BinaryOperator)}
   * on the owners.
   */
  <U> U reduce(
      U identity,
      SerializableBiFunction<U, ? super T, U> accumulator,
      SerializableBinaryOperator<U> combiner);

  /** {@link Stream#min} on the owners. */
  Optional<T> min(SerializableComparator<? super T> comparator);

  /** {@link Stream#max} on the owners. */
  Optional<T> max(SerializableComparator<? super T> comparator);

  /** {@link Stream#anyMatch} on the owners. */
  boolean anyMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#allMatch} on the owners. */
  boolean allMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#noneMatch} on the owners. */
  boolean noneMatch(SerializablePredicate<? super T> predicate);

  /** Runs on the owners for each element, at least once when a node fails meanwhile. */
  void forEach(SerializableConsumer<? super T> action);

  /** Pulls the elements as they are asked for, and no faster. */
  @Override
  CloseableIterator<T> iterator();
}
