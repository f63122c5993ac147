package io.cantle.core.stream;

import io.cantle.CacheStream;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collector;
import java.util.stream.DoubleStream;
import java.util.stream.Gatherer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The methods of a stream that run on the node that asks: they take functions that need not be
 * serializable, or need an order or the whole. Each is what the JDK makes of it over the elements
 * as they are pulled; what follows it is a stream of the JDK.
 *
 * <p><b>Threading:</b> one thread, that of the stream.
 */
interface OriginStages<T> extends CacheStream<T> {

  /** The elements as a stream of the JDK; nothing is pulled before that stream ends. */
  Stream<T> here();

  /** Runs an operation that ends the stream, and stops pulling whatever comes of it. */
  <R> R endHere(Function<Stream<T>, R> terminal);

  @Override
  default Stream<T> filter(Predicate<? super T> predicate) {
    return here().filter(predicate);
  }

  @Override
  default <R> Stream<R> map(Function<? super T, ? extends R> mapper) {
    return here().map(mapper);
  }

  @Override
  default IntStream mapToInt(ToIntFunction<? super T> mapper) {
    return here().mapToInt(mapper);
  }

  @Override
  default LongStream mapToLong(ToLongFunction<? super T> mapper) {
    return here().mapToLong(mapper);
  }

  @Override
  default DoubleStream mapToDouble(ToDoubleFunction<? super T> mapper) {
    return here().mapToDouble(mapper);
  }

  @Override
  default <R> Stream<R> flatMap(Function<? super T, ? extends Stream<? extends R>> mapper) {
    return here().flatMap(mapper);
  }

  @Override
  default IntStream flatMapToInt(Function<? super T, ? extends IntStream> mapper) {
    return here().flatMapToInt(mapper);
  }

  @Override
  default LongStream flatMapToLong(Function<? super T, ? extends LongStream> mapper) {
    return here().flatMapToLong(mapper);
  }

  @Override
  default DoubleStream flatMapToDouble(Function<? super T, ? extends DoubleStream> mapper) {
    return here().flatMapToDouble(mapper);
  }

  @Override
  default <R> Stream<R> mapMulti(BiConsumer<? super T, ? super Consumer<R>> mapper) {
    return here().mapMulti(mapper);
  }

  @Override
  default <R> Stream<R> gather(Gatherer<? super T, ?, R> gatherer) {
    return here().gather(gatherer);
  }

  @Override
  default Stream<T> distinct() {
    return here().distinct();
  }

  @Override
  default Stream<T> sorted() {
    return here().sorted();
  }

  @Override
  default Stream<T> sorted(Comparator<? super T> comparator) {
    return here().sorted(comparator);
  }

  @Override
  default Stream<T> peek(Consumer<? super T> action) {
    return here().peek(action);
  }

  @Override
  default Stream<T> limit(long maxSize) {
    return here().limit(maxSize);
  }

  @Override
  default Stream<T> skip(long n) {
    return here().skip(n);
  }

  @Override
  default Stream<T> takeWhile(Predicate<? super T> predicate) {
    return here().takeWhile(predicate);
  }

  @Override
  default Stream<T> dropWhile(Predicate<? super T> predicate) {
    return here().dropWhile(predicate);
  }

  @Override
  default void forEach(Consumer<? super T> action) {
    forEachOrdered(action);
  }

  @Override
  default Object[] toArray() {
    return endHere(Stream::toArray);
  }

  @Override
  @SuppressWarnings("SuspiciousToArrayCall")
  default <A> A[] toArray(IntFunction<A[]> generator) {
    return endHere(stream -> stream.toArray(generator));
  }

  @Override
  default List<T> toList() {
    return endHere(Stream::toList);
  }

  @Override
  default T reduce(T identity, BinaryOperator<T> accumulator) {
    return endHere(stream -> stream.reduce(identity, accumulator));
  }

  @Override
  default Optional<T> reduce(BinaryOperator<T> accumulator) {
    return endHere(stream -> stream.reduce(accumulator));
  }

  @Override
  default <U> U reduce(
      U identity, BiFunction<U, ? super T, U> accumulator, BinaryOperator<U> combiner) {
    return endHere(stream -> stream.reduce(identity, accumulator, combiner));
  }

  @Override
  default <R> R collect(
      Supplier<R> supplier, BiConsumer<R, ? super T> accumulator, BiConsumer<R, R> combiner) {
    return endHere(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  default <R, A> R collect(Collector<? super T, A, R> collector) {
    return endHere(stream -> stream.collect(collector));
  }

  @Override
  default Optional<T> min(Comparator<? super T> comparator) {
    return endHere(stream -> stream.min(comparator));
  }

  @Override
  default Optional<T> max(Comparator<? super T> comparator) {
    return endHere(stream -> stream.max(comparator));
  }

  @Override
  default boolean anyMatch(Predicate<? super T> predicate) {
    return endHere(stream -> stream.anyMatch(predicate));
  }

  @Override
  default boolean allMatch(Predicate<? super T> predicate) {
    return endHere(stream -> stream.allMatch(predicate));
  }

  @Override
  default boolean noneMatch(Predicate<? super T> predicate) {
    return endHere(stream -> stream.noneMatch(predicate));
  }

  @Override
  default Spliterator<T> spliterator() {
    return here().spliterator();
  }
}
