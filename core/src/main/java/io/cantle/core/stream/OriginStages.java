package io.cantle.core.stream;

import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.Stage.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.Gatherer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The methods of a stream of objects that run on the node that asks: they take functions that need
 * not be serializable, or need an order or the whole. Each is what the JDK makes of it over the
 * elements as they are pulled.
 *
 * <p><b>Threading:</b> any thread.
 */
interface OriginStages<T> extends CacheStream<T> {

  /** What the stream is so far. */
  Pipeline pipeline();

  /** Runs an operation that ends the stream, and stops pulling whatever comes of it. */
  <R> R run(Function<Stream<T>, R> terminal);

  /** Runs an operation that ends the stream and has no result. */
  void each(Consumer<Stream<T>> terminal);

  @SuppressWarnings("unchecked")
  private Stream<T> objects(BaseStream<?, ?> stream) {
    return (Stream<T>) stream;
  }

  @Override
  default CacheStream<T> filter(Predicate<? super T> function) {
    return new RecordedStream<>(pipeline().here(Kind.FILTER, function));
  }

  @Override
  default <R> CacheStream<R> map(Function<? super T, ? extends R> function) {
    return new RecordedStream<>(pipeline().here(Kind.MAP, function));
  }

  @Override
  default IntCacheStream mapToInt(ToIntFunction<? super T> function) {
    return new RecordedIntStream(pipeline().here(Kind.MAP_TO_INT, function));
  }

  @Override
  default LongCacheStream mapToLong(ToLongFunction<? super T> function) {
    return new RecordedLongStream(pipeline().here(Kind.MAP_TO_LONG, function));
  }

  @Override
  default DoubleCacheStream mapToDouble(ToDoubleFunction<? super T> function) {
    return new RecordedDoubleStream(pipeline().here(Kind.MAP_TO_DOUBLE, function));
  }

  @Override
  default <R> CacheStream<R> flatMap(Function<? super T, ? extends Stream<? extends R>> function) {
    return new RecordedStream<>(pipeline().here(Kind.FLAT_MAP, function));
  }

  @Override
  default IntCacheStream flatMapToInt(Function<? super T, ? extends IntStream> function) {
    return new RecordedIntStream(pipeline().here(Kind.FLAT_MAP_TO_INT, function));
  }

  @Override
  default LongCacheStream flatMapToLong(Function<? super T, ? extends LongStream> function) {
    return new RecordedLongStream(pipeline().here(Kind.FLAT_MAP_TO_LONG, function));
  }

  @Override
  default DoubleCacheStream flatMapToDouble(Function<? super T, ? extends DoubleStream> function) {
    return new RecordedDoubleStream(pipeline().here(Kind.FLAT_MAP_TO_DOUBLE, function));
  }

  @Override
  default <R> CacheStream<R> mapMulti(BiConsumer<? super T, ? super Consumer<R>> function) {
    return new RecordedStream<>(pipeline().here(Kind.MAP_MULTI, function));
  }

  @Override
  default IntCacheStream mapMultiToInt(BiConsumer<? super T, ? super IntConsumer> function) {
    return new RecordedIntStream(pipeline().here(Kind.MAP_MULTI_TO_INT, function));
  }

  @Override
  default LongCacheStream mapMultiToLong(BiConsumer<? super T, ? super LongConsumer> function) {
    return new RecordedLongStream(pipeline().here(Kind.MAP_MULTI_TO_LONG, function));
  }

  @Override
  default DoubleCacheStream mapMultiToDouble(
      BiConsumer<? super T, ? super DoubleConsumer> function) {
    return new RecordedDoubleStream(pipeline().here(Kind.MAP_MULTI_TO_DOUBLE, function));
  }

  @Override
  default CacheStream<T> peek(Consumer<? super T> function) {
    return new RecordedStream<>(pipeline().here(Kind.PEEK, function));
  }

  @Override
  default <R> CacheStream<R> gather(Gatherer<? super T, ?, R> gatherer) {
    Objects.requireNonNull(gatherer);
    return new RecordedStream<>(
        pipeline().here(Shape.OBJECT, stream -> objects(stream).gather(gatherer)));
  }

  @Override
  default CacheStream<T> sorted(Comparator<? super T> comparator) {
    Objects.requireNonNull(comparator);
    return new RecordedStream<>(pipeline().sorted(comparator));
  }

  @Override
  default CacheStream<T> takeWhile(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate);
    return new RecordedStream<>(
        pipeline().here(Shape.OBJECT, stream -> objects(stream).takeWhile(predicate)));
  }

  @Override
  default CacheStream<T> dropWhile(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate);
    return new RecordedStream<>(
        pipeline().here(Shape.OBJECT, stream -> objects(stream).dropWhile(predicate)));
  }

  @Override
  default void forEach(Consumer<? super T> action) {
    Objects.requireNonNull(action);
    each(stream -> stream.forEach(action));
  }

  @Override
  default void forEachOrdered(Consumer<? super T> action) {
    Objects.requireNonNull(action);
    each(stream -> stream.forEachOrdered(action));
  }

  @Override
  default Object[] toArray() {
    return run(Stream::toArray);
  }

  @Override
  @SuppressWarnings("SuspiciousToArrayCall")
  default <A> A[] toArray(IntFunction<A[]> generator) {
    Objects.requireNonNull(generator);
    return run(stream -> stream.toArray(generator));
  }

  @Override
  default List<T> toList() {
    return run(Stream::toList);
  }

  @Override
  default T reduce(T identity, BinaryOperator<T> accumulator) {
    return run(stream -> stream.reduce(identity, accumulator));
  }

  @Override
  default Optional<T> reduce(BinaryOperator<T> accumulator) {
    return run(stream -> stream.reduce(accumulator));
  }

  @Override
  default <U> U reduce(
      U identity, BiFunction<U, ? super T, U> accumulator, BinaryOperator<U> combiner) {
    return run(stream -> stream.reduce(identity, accumulator, combiner));
  }

  @Override
  default <R> R collect(
      Supplier<R> supplier, BiConsumer<R, ? super T> accumulator, BiConsumer<R, R> combiner) {
    return run(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  default Optional<T> min(Comparator<? super T> comparator) {
    return run(stream -> stream.min(comparator));
  }

  @Override
  default Optional<T> max(Comparator<? super T> comparator) {
    return run(stream -> stream.max(comparator));
  }

  @Override
  default boolean anyMatch(Predicate<? super T> predicate) {
    return run(stream -> stream.anyMatch(predicate));
  }

  @Override
  default boolean allMatch(Predicate<? super T> predicate) {
    return run(stream -> stream.allMatch(predicate));
  }

  @Override
  default boolean noneMatch(Predicate<? super T> predicate) {
    return run(stream -> stream.noneMatch(predicate));
  }
}
