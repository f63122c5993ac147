package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.PipelineStage.Kind;
import io.cantle.function.IntFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.function.BiConsumer;
import java.util.function.IntBinaryOperator;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A stream of {@code int} elements that is recorded and run by the owners.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordedIntStream extends PipelineStream<Integer, IntStream, IntCacheStream>
    implements IntCacheStream {
  RecordedIntStream(Pipeline pipeline) {
    super(pipeline);
  }

  @Override
  IntCacheStream with(Pipeline other) {
    return new RecordedIntStream(other);
  }

  // ------------------------------------------------------------------ stages

  @Override
  public IntCacheStream filter(IntFunctions.Predicate function) {
    return new RecordedIntStream(pipeline().withStage(Kind.INT_FILTER, "filter", function));
  }

  @Override
  public IntCacheStream filter(IntPredicate function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.INT_FILTER, function));
  }

  @Override
  public IntCacheStream map(IntFunctions.UnaryOperator function) {
    return new RecordedIntStream(pipeline().withStage(Kind.INT_MAP, "map", function));
  }

  @Override
  public IntCacheStream map(IntUnaryOperator function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.INT_MAP, function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(IntFunctions.ToObject<? extends R> function) {
    return new RecordedStream<>(pipeline().withStage(Kind.INT_MAP_TO_OBJECT, "mapToObj", function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(IntFunction<? extends R> function) {
    return new RecordedStream<>(pipeline().withLocalStage(Kind.INT_MAP_TO_OBJECT, function));
  }

  @Override
  public LongCacheStream mapToLong(IntFunctions.ToLong function) {
    return new RecordedLongStream(
        pipeline().withStage(Kind.INT_MAP_TO_LONG, "mapToLong", function));
  }

  @Override
  public LongCacheStream mapToLong(IntToLongFunction function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.INT_MAP_TO_LONG, function));
  }

  @Override
  public DoubleCacheStream mapToDouble(IntFunctions.ToDouble function) {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.INT_MAP_TO_DOUBLE, "mapToDouble", function));
  }

  @Override
  public DoubleCacheStream mapToDouble(IntToDoubleFunction function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.INT_MAP_TO_DOUBLE, function));
  }

  @Override
  public IntCacheStream flatMap(IntFunctions.ToObject<? extends IntStream> function) {
    return new RecordedIntStream(pipeline().withStage(Kind.INT_FLAT_MAP, "flatMap", function));
  }

  @Override
  public IntCacheStream flatMap(IntFunction<? extends IntStream> function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.INT_FLAT_MAP, function));
  }

  @Override
  public IntCacheStream mapMulti(IntFunctions.MapMulti function) {
    return new RecordedIntStream(pipeline().withStage(Kind.INT_MAP_MULTI, "mapMulti", function));
  }

  @Override
  public IntCacheStream mapMulti(IntMapMultiConsumer function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.INT_MAP_MULTI, function));
  }

  @Override
  public IntCacheStream peek(IntFunctions.Consumer function) {
    return new RecordedIntStream(pipeline().withStage(Kind.INT_PEEK, "peek", function));
  }

  @Override
  public IntCacheStream peek(IntConsumer function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.INT_PEEK, function));
  }

  @Override
  public CacheStream<Integer> boxed() {
    return new RecordedStream<>(pipeline().withStage(Kind.INT_BOXED, "boxed", null));
  }

  @Override
  public LongCacheStream asLongStream() {
    return new RecordedLongStream(pipeline().withStage(Kind.INT_AS_LONG, "asLongStream", null));
  }

  @Override
  public DoubleCacheStream asDoubleStream() {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.INT_AS_DOUBLE, "asDoubleStream", null));
  }

  @Override
  public IntCacheStream takeWhile(IntPredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.takeWhile(predicate));
  }

  @Override
  public IntCacheStream dropWhile(IntPredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.dropWhile(predicate));
  }

  // ------------------------------------------------------------------ terminal operations

  @Override
  public IntSummaryStatistics summaryStatistics() {
    if (!isRecorded()) {
      return runLocally(IntStream::summaryStatistics);
    }
    IntSummaryStatistics summary = new IntSummaryStatistics();
    onOwners().collectSummaries(in -> summary.combine(ElementKind.readIntSummary(in)));
    return summary;
  }

  @Override
  public int sum() {
    return (int) summaryStatistics().getSum();
  }

  @Override
  public OptionalDouble average() {
    IntSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(summary.getAverage());
  }

  @Override
  public OptionalInt min() {
    IntSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalInt.empty() : OptionalInt.of(summary.getMin());
  }

  @Override
  public OptionalInt max() {
    IntSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalInt.empty() : OptionalInt.of(summary.getMax());
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      IntFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return isRecorded()
        ? onOwners().collect(supplier, accumulator, combiner)
        : collect((Supplier<R>) supplier, accumulator, combiner);
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, ObjIntConsumer<R> accumulator, BiConsumer<R, R> combiner) {
    return runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public int reduce(int identity, IntFunctions.BinaryOperator op) {
    return isRecorded()
        ? onOwners().<Integer>reduce(op, List.of(identity)).getFirst()
        : reduce(identity, (IntBinaryOperator) op);
  }

  @Override
  public int reduce(int identity, IntBinaryOperator op) {
    return runLocally(stream -> stream.reduce(identity, op));
  }

  @Override
  public OptionalInt reduce(IntFunctions.BinaryOperator op) {
    return isRecorded()
        ? optional(onOwners().<Integer>reduce(op, List.of()))
        : reduce((IntBinaryOperator) op);
  }

  @Override
  public OptionalInt reduce(IntBinaryOperator op) {
    return runLocally(stream -> stream.reduce(op));
  }

  private static OptionalInt optional(List<Integer> found) {
    return found.isEmpty() ? OptionalInt.empty() : OptionalInt.of(found.getFirst());
  }

  @Override
  public boolean anyMatch(IntFunctions.Predicate predicate) {
    return isRecorded()
        ? onOwners().anyMatch("anyMatch", predicate)
        : anyMatch((IntPredicate) predicate);
  }

  @Override
  public boolean anyMatch(IntPredicate predicate) {
    return runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch(IntFunctions.Predicate predicate) {
    return isRecorded() ? onOwners().allMatch(predicate) : allMatch((IntPredicate) predicate);
  }

  @Override
  public boolean allMatch(IntPredicate predicate) {
    return runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch(IntFunctions.Predicate predicate) {
    return isRecorded()
        ? !onOwners().anyMatch("noneMatch", predicate)
        : noneMatch((IntPredicate) predicate);
  }

  @Override
  public boolean noneMatch(IntPredicate predicate) {
    return runLocally(stream -> stream.noneMatch(predicate));
  }

  /** Returns any element; after {@code sorted}, the first. */
  @Override
  public OptionalInt findFirst() {
    // After a sort only one element is needed, so each owner sends just its first one.
    return isRecorded()
        ? optional(onOwners().<Integer>findAny())
        : runOnFirstLocally(IntStream::findFirst);
  }

  /** Same as {@link #findFirst}, which may return any element. */
  @Override
  public OptionalInt findAny() {
    return findFirst();
  }

  @Override
  public void forEach(IntFunctions.Consumer action) {
    if (isRecorded()) {
      onOwners().forEach(action);
    } else {
      forEach((IntConsumer) action);
    }
  }

  @Override
  public void forEach(IntConsumer action) {
    consumeLocally(stream -> stream.forEach(action));
  }

  @Override
  public <K, V> void forEach(IntFunctions.Accumulator<Cache<K, V>> action) {
    Objects.requireNonNull(action);
    if (isRecorded()) {
      onOwners().forEachWithCache(action);
    } else {
      Cache<K, V> cache = cache();
      forEach((IntConsumer) element -> action.accept(cache, element));
    }
  }

  @Override
  public void forEachOrdered(IntConsumer action) {
    consumeLocally(stream -> stream.forEachOrdered(action));
  }

  @Override
  public int[] toArray() {
    return runLocally(IntStream::toArray);
  }

  @Override
  public PrimitiveIterator.OfInt iterator() {
    return openLocally().iterator();
  }

  @Override
  public Spliterator.OfInt spliterator() {
    return openLocally().spliterator();
  }
}
