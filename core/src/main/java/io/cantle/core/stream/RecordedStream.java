package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheCollector;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.PipelineStage.StageKind;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableBinaryOperator;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableConsumer;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import io.cantle.function.SerializableToDoubleFunction;
import io.cantle.function.SerializableToIntFunction;
import io.cantle.function.SerializableToLongFunction;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Spliterator;
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
import java.util.stream.Collector;
import java.util.stream.DoubleStream;
import java.util.stream.Gatherer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A stream of objects that is recorded and run by the owners. Each operation that owners can run
 * has two forms: with a serializable function it is recorded, with any other function it runs as
 * the JDK's operation on this node.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordedStream<T> extends PipelineStream<T, Stream<T>, CacheStream<T>>
    implements CacheStream<T> {
  RecordedStream(Pipeline pipeline) {
    super(pipeline);
  }

  @Override
  CacheStream<T> with(Pipeline other) {
    return new RecordedStream<>(other);
  }

  // ------------------------------------------------------------------ stages

  @Override
  public CacheStream<T> filter(SerializablePredicate<? super T> function) {
    return with(pipeline().withStage(StageKind.FILTER, "filter", function));
  }

  @Override
  public CacheStream<T> filter(Predicate<? super T> function) {
    return with(pipeline().withLocalStage(StageKind.FILTER, function));
  }

  @Override
  public <R> CacheStream<R> map(SerializableFunction<? super T, ? extends R> function) {
    return new RecordedStream<>(pipeline().withStage(StageKind.MAP, "map", function));
  }

  @Override
  public <R> CacheStream<R> map(Function<? super T, ? extends R> function) {
    return new RecordedStream<>(pipeline().withLocalStage(StageKind.MAP, function));
  }

  @Override
  public IntCacheStream mapToInt(SerializableToIntFunction<? super T> function) {
    return new RecordedIntStream(pipeline().withStage(StageKind.MAP_TO_INT, "mapToInt", function));
  }

  @Override
  public IntCacheStream mapToInt(ToIntFunction<? super T> function) {
    return new RecordedIntStream(pipeline().withLocalStage(StageKind.MAP_TO_INT, function));
  }

  @Override
  public LongCacheStream mapToLong(SerializableToLongFunction<? super T> function) {
    return new RecordedLongStream(
        pipeline().withStage(StageKind.MAP_TO_LONG, "mapToLong", function));
  }

  @Override
  public LongCacheStream mapToLong(ToLongFunction<? super T> function) {
    return new RecordedLongStream(pipeline().withLocalStage(StageKind.MAP_TO_LONG, function));
  }

  @Override
  public DoubleCacheStream mapToDouble(SerializableToDoubleFunction<? super T> function) {
    return new RecordedDoubleStream(
        pipeline().withStage(StageKind.MAP_TO_DOUBLE, "mapToDouble", function));
  }

  @Override
  public DoubleCacheStream mapToDouble(ToDoubleFunction<? super T> function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(StageKind.MAP_TO_DOUBLE, function));
  }

  @Override
  public <R> CacheStream<R> flatMap(
      SerializableFunction<? super T, ? extends Stream<? extends R>> function) {
    return new RecordedStream<>(pipeline().withStage(StageKind.FLAT_MAP, "flatMap", function));
  }

  @Override
  public <R> CacheStream<R> flatMap(Function<? super T, ? extends Stream<? extends R>> function) {
    return new RecordedStream<>(pipeline().withLocalStage(StageKind.FLAT_MAP, function));
  }

  @Override
  public IntCacheStream flatMapToInt(
      SerializableFunction<? super T, ? extends IntStream> function) {
    return new RecordedIntStream(
        pipeline().withStage(StageKind.FLAT_MAP_TO_INT, "flatMapToInt", function));
  }

  @Override
  public IntCacheStream flatMapToInt(Function<? super T, ? extends IntStream> function) {
    return new RecordedIntStream(pipeline().withLocalStage(StageKind.FLAT_MAP_TO_INT, function));
  }

  @Override
  public LongCacheStream flatMapToLong(
      SerializableFunction<? super T, ? extends LongStream> function) {
    return new RecordedLongStream(
        pipeline().withStage(StageKind.FLAT_MAP_TO_LONG, "flatMapToLong", function));
  }

  @Override
  public LongCacheStream flatMapToLong(Function<? super T, ? extends LongStream> function) {
    return new RecordedLongStream(pipeline().withLocalStage(StageKind.FLAT_MAP_TO_LONG, function));
  }

  @Override
  public DoubleCacheStream flatMapToDouble(
      SerializableFunction<? super T, ? extends DoubleStream> function) {
    return new RecordedDoubleStream(
        pipeline().withStage(StageKind.FLAT_MAP_TO_DOUBLE, "flatMapToDouble", function));
  }

  @Override
  public DoubleCacheStream flatMapToDouble(Function<? super T, ? extends DoubleStream> function) {
    return new RecordedDoubleStream(
        pipeline().withLocalStage(StageKind.FLAT_MAP_TO_DOUBLE, function));
  }

  @Override
  public <R> CacheStream<R> mapMulti(
      SerializableBiConsumer<? super T, ? super Consumer<R>> function) {
    return new RecordedStream<>(pipeline().withStage(StageKind.MAP_MULTI, "mapMulti", function));
  }

  @Override
  public <R> CacheStream<R> mapMulti(BiConsumer<? super T, ? super Consumer<R>> function) {
    return new RecordedStream<>(pipeline().withLocalStage(StageKind.MAP_MULTI, function));
  }

  @Override
  public IntCacheStream mapMultiToInt(
      SerializableBiConsumer<? super T, ? super IntConsumer> function) {
    return new RecordedIntStream(
        pipeline().withStage(StageKind.MAP_MULTI_TO_INT, "mapMultiToInt", function));
  }

  @Override
  public IntCacheStream mapMultiToInt(BiConsumer<? super T, ? super IntConsumer> function) {
    return new RecordedIntStream(pipeline().withLocalStage(StageKind.MAP_MULTI_TO_INT, function));
  }

  @Override
  public LongCacheStream mapMultiToLong(
      SerializableBiConsumer<? super T, ? super LongConsumer> function) {
    return new RecordedLongStream(
        pipeline().withStage(StageKind.MAP_MULTI_TO_LONG, "mapMultiToLong", function));
  }

  @Override
  public LongCacheStream mapMultiToLong(BiConsumer<? super T, ? super LongConsumer> function) {
    return new RecordedLongStream(pipeline().withLocalStage(StageKind.MAP_MULTI_TO_LONG, function));
  }

  @Override
  public DoubleCacheStream mapMultiToDouble(
      SerializableBiConsumer<? super T, ? super DoubleConsumer> function) {
    return new RecordedDoubleStream(
        pipeline().withStage(StageKind.MAP_MULTI_TO_DOUBLE, "mapMultiToDouble", function));
  }

  @Override
  public DoubleCacheStream mapMultiToDouble(
      BiConsumer<? super T, ? super DoubleConsumer> function) {
    return new RecordedDoubleStream(
        pipeline().withLocalStage(StageKind.MAP_MULTI_TO_DOUBLE, function));
  }

  @Override
  public CacheStream<T> peek(SerializableConsumer<? super T> function) {
    return with(pipeline().withStage(StageKind.PEEK, "peek", function));
  }

  @Override
  public CacheStream<T> peek(Consumer<? super T> function) {
    return with(pipeline().withLocalStage(StageKind.PEEK, function));
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> CacheStream<R> gather(Gatherer<? super T, ?, R> gatherer) {
    Objects.requireNonNull(gatherer);
    return new RecordedStream<>(
        pipeline()
            .withLocalStage(ElementKind.OBJECT, stream -> ((Stream<T>) stream).gather(gatherer)));
  }

  @Override
  public CacheStream<T> takeWhile(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.takeWhile(predicate));
  }

  @Override
  public CacheStream<T> dropWhile(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.dropWhile(predicate));
  }

  // ------------------------------------------------------------------ terminal operations

  @Override
  public CacheStream<T> sorted(SerializableComparator<? super T> comparator) {
    return with(pipeline().sorted(Objects.requireNonNull(comparator)));
  }

  @Override
  public CacheStream<T> sorted(Comparator<? super T> comparator) {
    Objects.requireNonNull(comparator);
    return with(pipeline().sorted(comparator));
  }

  @Override
  public <R, A> R collect(SerializableSupplier<Collector<? super T, A, R>> collector) {
    return isRecorded()
        ? onOwners().collect(collector)
        : runLocally(stream -> stream.collect(collector.get()));
  }

  @Override
  public <R, A> R collect(Collector<? super T, A, R> collector) {
    if (isRecorded() && collector instanceof CacheCollector<? super T, A, R> sendable) {
      return sendable.keepsEveryElement()
          ? runToEndLocally(stream -> stream.collect(sendable))
          : onOwners().collect(sendable.collectors());
    }
    if (isRecorded()) {
      LocalRunAdvice.beforeCollect(pipeline(), collector);
    }
    return runToEndLocally(stream -> stream.collect(collector));
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      SerializableBiConsumer<R, ? super T> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return isRecorded()
        ? onOwners().collect(supplier, accumulator, combiner)
        : runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, BiConsumer<R, ? super T> accumulator, BiConsumer<R, R> combiner) {
    return runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public T reduce(T identity, SerializableBinaryOperator<T> accumulator) {
    return isRecorded()
        ? onOwners().reduce(accumulator, Collections.singletonList(identity)).getFirst()
        : runLocally(stream -> stream.reduce(identity, accumulator));
  }

  @Override
  public <U> U reduce(
      U identity,
      SerializableBiFunction<U, ? super T, U> accumulator,
      SerializableBinaryOperator<U> combiner) {
    return isRecorded()
        ? onOwners().fold(identity, accumulator, combiner)
        : runLocally(stream -> stream.reduce(identity, accumulator, combiner));
  }

  @Override
  public Optional<T> reduce(SerializableBinaryOperator<T> accumulator) {
    return isRecorded()
        ? optional(onOwners().reduce(accumulator, List.of()))
        : runLocally(stream -> stream.reduce(accumulator));
  }

  @Override
  public T reduce(T identity, BinaryOperator<T> accumulator) {
    return runLocally(stream -> stream.reduce(identity, accumulator));
  }

  @Override
  public Optional<T> reduce(BinaryOperator<T> accumulator) {
    return runLocally(stream -> stream.reduce(accumulator));
  }

  @Override
  public <U> U reduce(
      U identity, BiFunction<U, ? super T, U> accumulator, BinaryOperator<U> combiner) {
    return runLocally(stream -> stream.reduce(identity, accumulator, combiner));
  }

  @Override
  public Optional<T> min(SerializableComparator<? super T> comparator) {
    return isRecorded()
        ? optional(onOwners().min(comparator))
        : runLocally(stream -> stream.min(comparator));
  }

  @Override
  public Optional<T> min(Comparator<? super T> comparator) {
    return runLocally(stream -> stream.min(comparator));
  }

  @Override
  public Optional<T> max(SerializableComparator<? super T> comparator) {
    return isRecorded()
        ? optional(onOwners().max(comparator))
        : runLocally(stream -> stream.max(comparator));
  }

  @Override
  public Optional<T> max(Comparator<? super T> comparator) {
    return runLocally(stream -> stream.max(comparator));
  }

  private static <T> Optional<T> optional(List<T> found) {
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
  }

  @Override
  public boolean anyMatch(SerializablePredicate<? super T> predicate) {
    return isRecorded()
        ? onOwners().anyMatch("anyMatch", predicate)
        : runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean anyMatch(Predicate<? super T> predicate) {
    return runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch(SerializablePredicate<? super T> predicate) {
    return isRecorded()
        ? onOwners().allMatch(predicate)
        : runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean allMatch(Predicate<? super T> predicate) {
    return runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch(SerializablePredicate<? super T> predicate) {
    return isRecorded()
        ? !onOwners().anyMatch("noneMatch", predicate)
        : runLocally(stream -> stream.noneMatch(predicate));
  }

  @Override
  public boolean noneMatch(Predicate<? super T> predicate) {
    return runLocally(stream -> stream.noneMatch(predicate));
  }

  @Override
  public Optional<T> findFirst() {
    // After a sort only one element is needed, so each owner sends just its first one.
    return isRecorded() ? optional(onOwners().findAny()) : runOnFirstLocally(Stream::findFirst);
  }

  /** Same as {@link #findFirst}, which may return any element. */
  @Override
  public Optional<T> findAny() {
    return findFirst();
  }

  @Override
  public void forEach(Consumer<? super T> action) {
    Objects.requireNonNull(action);
    consumeLocally(stream -> stream.forEach(action));
  }

  @Override
  public void forEachOrdered(Consumer<? super T> action) {
    Objects.requireNonNull(action);
    consumeLocally(stream -> stream.forEachOrdered(action));
  }

  @Override
  public void forEachOnOwners(SerializableConsumer<? super T> action) {
    if (isRecorded()) {
      onOwners().forEach(action);
    } else {
      forEach(action);
    }
  }

  @Override
  public <K, V> void forEachWithCache(SerializableBiConsumer<Cache<K, V>, ? super T> action) {
    Objects.requireNonNull(action);
    if (isRecorded()) {
      onOwners().forEachWithCache(action);
    } else {
      Cache<K, V> cache = cache();
      forEach(element -> action.accept(cache, element));
    }
  }

  @Override
  public Object[] toArray() {
    return runToEndLocally(Stream::toArray);
  }

  @Override
  @SuppressWarnings("SuspiciousToArrayCall")
  public <A> A[] toArray(IntFunction<A[]> generator) {
    Objects.requireNonNull(generator);
    return runToEndLocally(stream -> stream.toArray(generator));
  }

  @Override
  public List<T> toList() {
    return runToEndLocally(Stream::toList);
  }

  @Override
  @SuppressWarnings("unchecked")
  public CloseableIterator<T> iterator() {
    return (CloseableIterator<T>) pullElements();
  }

  @Override
  public Spliterator<T> spliterator() {
    return openLocally().spliterator();
  }
}
