package io.cantle;

import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableBinaryOperator;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import io.cantle.function.SerializableToDoubleFunction;
import io.cantle.function.SerializableToIntFunction;
import io.cantle.function.SerializableToLongFunction;
import java.util.Collection;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The collectors of {@link Collectors}, for streams of caches: each owner collects its own entries,
 * and the calling node merges what they have. {@code collect(Collectors.groupingBy(..))} gives the
 * same result, but brings every element to the calling node, because a function that was given to
 * {@link Collectors} cannot be sent.
 *
 * <pre>{@code
 * Map<String, Double> delays = flights.values().stream()
 *     .collect(CacheCollectors.groupingBy(Flight::carrier,
 *         CacheCollectors.averagingInt(Flight::delayMinutes)));
 * }</pre>
 *
 * <p>Each collector means what that of the same name and parameters means in the JDK, with three
 * differences. Its functions must be such that they can be sent: a lambda or a method reference in
 * place is. What it collects with below must be a {@link CacheCollector}, which the compiler
 * checks. And the elements of a cache have no order, so neither have lists and joined texts.
 *
 * <p>Lists, and maps without a merge function, have something of every element. By themselves they
 * are collected here, from elements that the owners send; within other collectors they run on the
 * owners like these.
 *
 * <p>What a function throws on an owner is the cause of a {@link FunctionException}; what it throws
 * while results are merged here is thrown as it is.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class CacheCollectors {
  private CacheCollectors() {}

  /**
   * Makes a collector for the owners of any collector: {@code serializableCollector(() ->
   * MyCollectors.histogram(10))}. Each node makes its own collector with the function, so the
   * collector itself need not be sent. For a collector that is used alone, {@link
   * CacheStream#collect(SerializableSupplier)} does the same with less.
   *
   * @param collectors makes equal collectors; it is called here once at once
   */
  public static <T, A, R> CacheCollector<T, A, R> serializableCollector(
      SerializableSupplier<Collector<T, A, R>> collectors) {
    return new CacheCollector<>(collectors);
  }

  @SuppressWarnings("unchecked") // The container is the JDK's affair.
  private static <T, R> CacheCollector<T, ?, R> of(
      SerializableSupplier<Collector<T, ?, R>> collectors) {
    return new CacheCollector<>(
        (SerializableSupplier<Collector<T, Object, R>>) (SerializableSupplier<?>) collectors);
  }

  /**
   * Makes a collector whose result has something of every element.
   *
   * @param here what this node collects with
   */
  @SuppressWarnings("unchecked") // No container of one is given to the other.
  private static <T, R> CacheCollector<T, ?, R> ofAll(
      Collector<T, ?, R> here, SerializableSupplier<Collector<T, ?, R>> collectors) {
    return new CacheCollector<>(
        (SerializableSupplier<Collector<T, Object, R>>) (SerializableSupplier<?>) collectors,
        (Collector<T, Object, R>) here,
        true);
  }

  // ------------------------------------------------------------------ groups

  /** {@link Collectors#groupingBy(java.util.function.Function)} on the owners. */
  public static <T, K> CacheCollector<T, ?, Map<K, List<T>>> groupingBy(
      SerializableFunction<? super T, ? extends K> classifier) {
    Objects.requireNonNull(classifier);
    return of(() -> Collectors.groupingBy(classifier));
  }

  /** {@link Collectors#groupingBy(java.util.function.Function, Collector)} on the owners. */
  public static <T, K, A, D> CacheCollector<T, ?, Map<K, D>> groupingBy(
      SerializableFunction<? super T, ? extends K> classifier,
      CacheCollector<? super T, A, D> downstream) {
    Objects.requireNonNull(classifier);
    SerializableSupplier<? extends Collector<? super T, A, D>> groups = downstream.collectors();
    return of(() -> Collectors.groupingBy(classifier, groups.get()));
  }

  /**
   * {@link Collectors#groupingBy(java.util.function.Function, java.util.function.Supplier,
   * Collector)} on the owners.
   */
  public static <T, K, D, A, M extends Map<K, D>> CacheCollector<T, ?, M> groupingBy(
      SerializableFunction<? super T, ? extends K> classifier,
      SerializableSupplier<M> maps,
      CacheCollector<? super T, A, D> downstream) {
    Objects.requireNonNull(classifier);
    Objects.requireNonNull(maps);
    SerializableSupplier<? extends Collector<? super T, A, D>> groups = downstream.collectors();
    return of(() -> Collectors.groupingBy(classifier, maps, groups.get()));
  }

  /**
   * {@link Collectors#groupingByConcurrent(java.util.function.Function)} on the owners. It takes as
   * long as {@link #groupingBy(SerializableFunction)}; its result may be changed by many threads.
   */
  public static <T, K> CacheCollector<T, ?, ConcurrentMap<K, List<T>>> groupingByConcurrent(
      SerializableFunction<? super T, ? extends K> classifier) {
    Objects.requireNonNull(classifier);
    return of(() -> Collectors.groupingByConcurrent(classifier));
  }

  /**
   * {@link Collectors#groupingByConcurrent(java.util.function.Function, Collector)} on the owners.
   */
  public static <T, K, A, D> CacheCollector<T, ?, ConcurrentMap<K, D>> groupingByConcurrent(
      SerializableFunction<? super T, ? extends K> classifier,
      CacheCollector<? super T, A, D> downstream) {
    Objects.requireNonNull(classifier);
    SerializableSupplier<? extends Collector<? super T, A, D>> groups = downstream.collectors();
    return of(() -> Collectors.groupingByConcurrent(classifier, groups.get()));
  }

  /**
   * {@link Collectors#groupingByConcurrent(java.util.function.Function,
   * java.util.function.Supplier, Collector)} on the owners.
   */
  public static <T, K, A, D, M extends ConcurrentMap<K, D>>
      CacheCollector<T, ?, M> groupingByConcurrent(
          SerializableFunction<? super T, ? extends K> classifier,
          SerializableSupplier<M> maps,
          CacheCollector<? super T, A, D> downstream) {
    Objects.requireNonNull(classifier);
    Objects.requireNonNull(maps);
    SerializableSupplier<? extends Collector<? super T, A, D>> groups = downstream.collectors();
    return of(() -> Collectors.groupingByConcurrent(classifier, maps, groups.get()));
  }

  /** {@link Collectors#partitioningBy(java.util.function.Predicate)} on the owners. */
  public static <T> CacheCollector<T, ?, Map<Boolean, List<T>>> partitioningBy(
      SerializablePredicate<? super T> predicate) {
    Objects.requireNonNull(predicate);
    return of(() -> Collectors.partitioningBy(predicate));
  }

  /** {@link Collectors#partitioningBy(java.util.function.Predicate, Collector)} on the owners. */
  public static <T, D, A> CacheCollector<T, ?, Map<Boolean, D>> partitioningBy(
      SerializablePredicate<? super T> predicate, CacheCollector<? super T, A, D> downstream) {
    Objects.requireNonNull(predicate);
    SerializableSupplier<? extends Collector<? super T, A, D>> sides = downstream.collectors();
    return of(() -> Collectors.partitioningBy(predicate, sides.get()));
  }

  // ------------------------------------------------------------------ maps

  /**
   * {@link Collectors#toMap(java.util.function.Function, java.util.function.Function)}. The map has
   * something of every element, so the owners send the elements as they are, and this node makes
   * keys and values of them. If those are much smaller, let owners make them: {@code collect(() ->
   * Collectors.toMap(..))}.
   *
   * <p>Two elements with the same key fail it as in the JDK, with an {@link IllegalStateException}.
   */
  public static <T, K, U> CacheCollector<T, ?, Map<K, U>> toMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    return ofAll(CollectedMap.collector(keys, values), () -> Collectors.toMap(keys, values));
  }

  /**
   * {@link Collectors#toMap(java.util.function.Function, java.util.function.Function,
   * java.util.function.BinaryOperator)} on the owners.
   */
  public static <T, K, U> CacheCollector<T, ?, Map<K, U>> toMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values,
      SerializableBinaryOperator<U> merger) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    Objects.requireNonNull(merger);
    return of(() -> Collectors.toMap(keys, values, merger));
  }

  /**
   * {@link Collectors#toMap(java.util.function.Function, java.util.function.Function,
   * java.util.function.BinaryOperator, java.util.function.Supplier)} on the owners.
   */
  public static <T, K, U, M extends Map<K, U>> CacheCollector<T, ?, M> toMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values,
      SerializableBinaryOperator<U> merger,
      SerializableSupplier<M> maps) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    Objects.requireNonNull(merger);
    Objects.requireNonNull(maps);
    return of(() -> Collectors.toMap(keys, values, merger, maps));
  }

  /**
   * {@link Collectors#toUnmodifiableMap(java.util.function.Function, java.util.function.Function)},
   * of elements that owners send as they are; see {@link #toMap(SerializableFunction,
   * SerializableFunction)}.
   */
  public static <T, K, U> CacheCollector<T, ?, Map<K, U>> toUnmodifiableMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    return ofAll(
        Collectors.collectingAndThen(
            CollectedMap.<T, K, U>collector(keys.andThen(Objects::requireNonNull), values),
            Collections::unmodifiableMap),
        () -> Collectors.toUnmodifiableMap(keys, values));
  }

  /**
   * {@link Collectors#toUnmodifiableMap(java.util.function.Function, java.util.function.Function,
   * java.util.function.BinaryOperator)} on the owners.
   */
  public static <T, K, U> CacheCollector<T, ?, Map<K, U>> toUnmodifiableMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values,
      SerializableBinaryOperator<U> merger) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    Objects.requireNonNull(merger);
    return of(() -> Collectors.toUnmodifiableMap(keys, values, merger));
  }

  /**
   * {@link Collectors#toConcurrentMap(java.util.function.Function, java.util.function.Function)} on
   * the owners.
   */
  public static <T, K, U> CacheCollector<T, ?, ConcurrentMap<K, U>> toConcurrentMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    return ofAll(
        Collectors.toConcurrentMap(keys, values), () -> Collectors.toConcurrentMap(keys, values));
  }

  /**
   * {@link Collectors#toConcurrentMap(java.util.function.Function, java.util.function.Function,
   * java.util.function.BinaryOperator)} on the owners.
   */
  public static <T, K, U> CacheCollector<T, ?, ConcurrentMap<K, U>> toConcurrentMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values,
      SerializableBinaryOperator<U> merger) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    Objects.requireNonNull(merger);
    return of(() -> Collectors.toConcurrentMap(keys, values, merger));
  }

  /**
   * {@link Collectors#toConcurrentMap(java.util.function.Function, java.util.function.Function,
   * java.util.function.BinaryOperator, java.util.function.Supplier)} on the owners.
   */
  public static <T, K, U, M extends ConcurrentMap<K, U>> CacheCollector<T, ?, M> toConcurrentMap(
      SerializableFunction<? super T, ? extends K> keys,
      SerializableFunction<? super T, ? extends U> values,
      SerializableBinaryOperator<U> merger,
      SerializableSupplier<M> maps) {
    Objects.requireNonNull(keys);
    Objects.requireNonNull(values);
    Objects.requireNonNull(merger);
    Objects.requireNonNull(maps);
    return of(() -> Collectors.toConcurrentMap(keys, values, merger, maps));
  }

  // ------------------------------------------------------------------ collections and text

  /** {@link Collectors#toList}, of elements that owners send as they are. */
  public static <T> CacheCollector<T, ?, List<T>> toList() {
    return ofAll(Collectors.toList(), () -> Collectors.toList());
  }

  /** {@link Collectors#toSet} on the owners. */
  public static <T> CacheCollector<T, ?, Set<T>> toSet() {
    return of(() -> Collectors.toSet());
  }

  /** {@link Collectors#toUnmodifiableList}, of elements that owners send as they are. */
  public static <T> CacheCollector<T, ?, List<T>> toUnmodifiableList() {
    return ofAll(Collectors.toUnmodifiableList(), () -> Collectors.toUnmodifiableList());
  }

  /** {@link Collectors#toUnmodifiableSet} on the owners. */
  public static <T> CacheCollector<T, ?, Set<T>> toUnmodifiableSet() {
    return of(() -> Collectors.toUnmodifiableSet());
  }

  /** {@link Collectors#toCollection} on the owners. */
  public static <T, C extends Collection<T>> CacheCollector<T, ?, C> toCollection(
      SerializableSupplier<C> collections) {
    Objects.requireNonNull(collections);
    return of(() -> Collectors.toCollection(collections));
  }

  /** {@link Collectors#joining()} on the owners. */
  public static CacheCollector<CharSequence, ?, String> joining() {
    return of(() -> Collectors.joining());
  }

  /** {@link Collectors#joining(CharSequence)} on the owners. */
  public static CacheCollector<CharSequence, ?, String> joining(CharSequence delimiter) {
    return joining(delimiter, "", "");
  }

  /** {@link Collectors#joining(CharSequence, CharSequence, CharSequence)} on the owners. */
  public static CacheCollector<CharSequence, ?, String> joining(
      CharSequence delimiter, CharSequence prefix, CharSequence suffix) {
    // A text can be sent, whatever the class of the sequence is.
    String between = delimiter.toString();
    String before = prefix.toString();
    String after = suffix.toString();
    return of(() -> Collectors.joining(between, before, after));
  }

  // ------------------------------------------------------------------ numbers

  /** {@link Collectors#counting} on the owners. */
  public static <T> CacheCollector<T, ?, Long> counting() {
    return of(() -> Collectors.counting());
  }

  /** {@link Collectors#summingInt} on the owners. */
  public static <T> CacheCollector<T, ?, Integer> summingInt(
      SerializableToIntFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summingInt(numbers));
  }

  /** {@link Collectors#averagingInt} on the owners. */
  public static <T> CacheCollector<T, ?, Double> averagingInt(
      SerializableToIntFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.averagingInt(numbers));
  }

  /** {@link Collectors#summarizingInt} on the owners. */
  public static <T> CacheCollector<T, ?, IntSummaryStatistics> summarizingInt(
      SerializableToIntFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summarizingInt(numbers));
  }

  /** {@link Collectors#summingLong} on the owners. */
  public static <T> CacheCollector<T, ?, Long> summingLong(
      SerializableToLongFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summingLong(numbers));
  }

  /** {@link Collectors#averagingLong} on the owners. */
  public static <T> CacheCollector<T, ?, Double> averagingLong(
      SerializableToLongFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.averagingLong(numbers));
  }

  /** {@link Collectors#summarizingLong} on the owners. */
  public static <T> CacheCollector<T, ?, LongSummaryStatistics> summarizingLong(
      SerializableToLongFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summarizingLong(numbers));
  }

  /** {@link Collectors#summingDouble} on the owners. */
  public static <T> CacheCollector<T, ?, Double> summingDouble(
      SerializableToDoubleFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summingDouble(numbers));
  }

  /** {@link Collectors#averagingDouble} on the owners. */
  public static <T> CacheCollector<T, ?, Double> averagingDouble(
      SerializableToDoubleFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.averagingDouble(numbers));
  }

  /** {@link Collectors#summarizingDouble} on the owners. */
  public static <T> CacheCollector<T, ?, DoubleSummaryStatistics> summarizingDouble(
      SerializableToDoubleFunction<? super T> numbers) {
    Objects.requireNonNull(numbers);
    return of(() -> Collectors.summarizingDouble(numbers));
  }

  // ------------------------------------------------------------------ one of all

  /**
   * {@link Collectors#minBy} on the owners. {@link SerializableComparator} has the usual orders.
   */
  public static <T> CacheCollector<T, ?, Optional<T>> minBy(
      SerializableComparator<? super T> order) {
    Objects.requireNonNull(order);
    return of(() -> Collectors.minBy(order));
  }

  /**
   * {@link Collectors#maxBy} on the owners. {@link SerializableComparator} has the usual orders.
   */
  public static <T> CacheCollector<T, ?, Optional<T>> maxBy(
      SerializableComparator<? super T> order) {
    Objects.requireNonNull(order);
    return of(() -> Collectors.maxBy(order));
  }

  /**
   * {@link Collectors#reducing(Object, java.util.function.BinaryOperator)} on the owners. The
   * identity counts once for each part of the cache, so it must be one.
   *
   * @throws IllegalArgumentException if it is a number or text that the operator changes
   */
  public static <T> CacheCollector<T, ?, T> reducing(
      T identity, SerializableBinaryOperator<T> operator) {
    IdentityCheck.requireIdentity(identity, Objects.requireNonNull(operator));
    return of(() -> Collectors.reducing(identity, operator));
  }

  /** {@link Collectors#reducing(java.util.function.BinaryOperator)} on the owners. */
  public static <T> CacheCollector<T, ?, Optional<T>> reducing(
      SerializableBinaryOperator<T> operator) {
    Objects.requireNonNull(operator);
    return of(() -> Collectors.reducing(operator));
  }

  /**
   * {@link Collectors#reducing(Object, java.util.function.Function,
   * java.util.function.BinaryOperator)} on the owners. The identity counts once for each part of
   * the cache, so it must be one.
   *
   * @throws IllegalArgumentException if it is a number or text that the operator changes
   */
  public static <T, U> CacheCollector<T, ?, U> reducing(
      U identity,
      SerializableFunction<? super T, ? extends U> mapper,
      SerializableBinaryOperator<U> operator) {
    Objects.requireNonNull(mapper);
    IdentityCheck.requireIdentity(identity, Objects.requireNonNull(operator));
    return of(() -> Collectors.reducing(identity, mapper, operator));
  }

  // ------------------------------------------------------------------ around other collectors

  /** {@link Collectors#mapping} on the owners. */
  public static <T, U, A, R> CacheCollector<T, ?, R> mapping(
      SerializableFunction<? super T, ? extends U> mapper,
      CacheCollector<? super U, A, R> downstream) {
    Objects.requireNonNull(mapper);
    SerializableSupplier<? extends Collector<? super U, A, R>> mapped = downstream.collectors();
    return of(() -> Collectors.mapping(mapper, mapped.get()));
  }

  /** {@link Collectors#flatMapping} on the owners. */
  public static <T, U, A, R> CacheCollector<T, ?, R> flatMapping(
      SerializableFunction<? super T, ? extends Stream<? extends U>> mapper,
      CacheCollector<? super U, A, R> downstream) {
    Objects.requireNonNull(mapper);
    SerializableSupplier<? extends Collector<? super U, A, R>> mapped = downstream.collectors();
    return of(() -> Collectors.flatMapping(mapper, mapped.get()));
  }

  /** {@link Collectors#filtering} on the owners. */
  public static <T, A, R> CacheCollector<T, ?, R> filtering(
      SerializablePredicate<? super T> predicate, CacheCollector<? super T, A, R> downstream) {
    Objects.requireNonNull(predicate);
    SerializableSupplier<? extends Collector<? super T, A, R>> filtered = downstream.collectors();
    return of(() -> Collectors.filtering(predicate, filtered.get()));
  }

  /** {@link Collectors#collectingAndThen} on the owners; the calling node finishes. */
  public static <T, A, R, F> CacheCollector<T, ?, F> collectingAndThen(
      CacheCollector<T, A, R> downstream, SerializableFunction<R, F> finisher) {
    Objects.requireNonNull(finisher);
    SerializableSupplier<Collector<T, A, R>> collected = downstream.collectors();
    return of(() -> Collectors.collectingAndThen(collected.get(), finisher));
  }

  /** {@link Collectors#teeing} on the owners; the calling node merges the two results. */
  public static <T, L, R, F> CacheCollector<T, ?, F> teeing(
      CacheCollector<? super T, ?, L> left,
      CacheCollector<? super T, ?, R> right,
      SerializableBiFunction<? super L, ? super R, F> merger) {
    Objects.requireNonNull(merger);
    SerializableSupplier<? extends Collector<? super T, ?, L>> lefts = left.collectors();
    SerializableSupplier<? extends Collector<? super T, ?, R>> rights = right.collectors();
    return of(() -> Collectors.teeing(lefts.get(), rights.get(), merger));
  }
}
