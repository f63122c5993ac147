package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.PipelineStage.Kind;
import io.cantle.function.LongFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.function.BiConsumer;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * A stream of {@code long} elements that is recorded and run by the owners.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordedLongStream extends PipelineStream<Long, LongStream, LongCacheStream>
    implements LongCacheStream {
  RecordedLongStream(Pipeline pipeline) {
    super(pipeline);
  }

  @Override
  LongCacheStream with(Pipeline other) {
    return new RecordedLongStream(other);
  }

  // ------------------------------------------------------------------ stages

  @Override
  public LongCacheStream filter(LongFunctions.Predicate function) {
    return new RecordedLongStream(pipeline().withStage(Kind.LONG_FILTER, "filter", function));
  }

  @Override
  public LongCacheStream filter(LongPredicate function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.LONG_FILTER, function));
  }

  @Override
  public LongCacheStream map(LongFunctions.UnaryOperator function) {
    return new RecordedLongStream(pipeline().withStage(Kind.LONG_MAP, "map", function));
  }

  @Override
  public LongCacheStream map(LongUnaryOperator function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.LONG_MAP, function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(LongFunctions.ToObject<? extends R> function) {
    return new RecordedStream<>(
        pipeline().withStage(Kind.LONG_MAP_TO_OBJECT, "mapToObj", function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(LongFunction<? extends R> function) {
    return new RecordedStream<>(pipeline().withLocalStage(Kind.LONG_MAP_TO_OBJECT, function));
  }

  @Override
  public IntCacheStream mapToInt(LongFunctions.ToInt function) {
    return new RecordedIntStream(pipeline().withStage(Kind.LONG_MAP_TO_INT, "mapToInt", function));
  }

  @Override
  public IntCacheStream mapToInt(LongToIntFunction function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.LONG_MAP_TO_INT, function));
  }

  @Override
  public DoubleCacheStream mapToDouble(LongFunctions.ToDouble function) {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.LONG_MAP_TO_DOUBLE, "mapToDouble", function));
  }

  @Override
  public DoubleCacheStream mapToDouble(LongToDoubleFunction function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.LONG_MAP_TO_DOUBLE, function));
  }

  @Override
  public LongCacheStream flatMap(LongFunctions.ToObject<? extends LongStream> function) {
    return new RecordedLongStream(pipeline().withStage(Kind.LONG_FLAT_MAP, "flatMap", function));
  }

  @Override
  public LongCacheStream flatMap(LongFunction<? extends LongStream> function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.LONG_FLAT_MAP, function));
  }

  @Override
  public LongCacheStream mapMulti(LongFunctions.MapMulti function) {
    return new RecordedLongStream(pipeline().withStage(Kind.LONG_MAP_MULTI, "mapMulti", function));
  }

  @Override
  public LongCacheStream mapMulti(LongMapMultiConsumer function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.LONG_MAP_MULTI, function));
  }

  @Override
  public LongCacheStream peek(LongFunctions.Consumer function) {
    return new RecordedLongStream(pipeline().withStage(Kind.LONG_PEEK, "peek", function));
  }

  @Override
  public LongCacheStream peek(LongConsumer function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.LONG_PEEK, function));
  }

  @Override
  public CacheStream<Long> boxed() {
    return new RecordedStream<>(pipeline().withStage(Kind.LONG_BOXED, "boxed", null));
  }

  @Override
  public DoubleCacheStream asDoubleStream() {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.LONG_AS_DOUBLE, "asDoubleStream", null));
  }

  @Override
  public LongCacheStream takeWhile(LongPredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.takeWhile(predicate));
  }

  @Override
  public LongCacheStream dropWhile(LongPredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.dropWhile(predicate));
  }

  // ------------------------------------------------------------------ terminal operations

  @Override
  public LongSummaryStatistics summaryStatistics() {
    if (!isRecorded()) {
      return runLocally(LongStream::summaryStatistics);
    }
    LongSummaryStatistics summary = new LongSummaryStatistics();
    onOwners().collectSummaries(in -> summary.combine(ElementKind.readLongSummary(in)));
    return summary;
  }

  @Override
  public long sum() {
    return summaryStatistics().getSum();
  }

  @Override
  public OptionalDouble average() {
    LongSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(summary.getAverage());
  }

  @Override
  public OptionalLong min() {
    LongSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalLong.empty() : OptionalLong.of(summary.getMin());
  }

  @Override
  public OptionalLong max() {
    LongSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalLong.empty() : OptionalLong.of(summary.getMax());
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      LongFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return isRecorded()
        ? onOwners().collect(supplier, accumulator, combiner)
        : collect((Supplier<R>) supplier, accumulator, combiner);
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, ObjLongConsumer<R> accumulator, BiConsumer<R, R> combiner) {
    return runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public long reduce(long identity, LongFunctions.BinaryOperator op) {
    return isRecorded()
        ? onOwners().<Long>reduce(op, List.of(identity)).getFirst()
        : reduce(identity, (LongBinaryOperator) op);
  }

  @Override
  public long reduce(long identity, LongBinaryOperator op) {
    return runLocally(stream -> stream.reduce(identity, op));
  }

  @Override
  public OptionalLong reduce(LongFunctions.BinaryOperator op) {
    return isRecorded()
        ? optional(onOwners().<Long>reduce(op, List.of()))
        : reduce((LongBinaryOperator) op);
  }

  @Override
  public OptionalLong reduce(LongBinaryOperator op) {
    return runLocally(stream -> stream.reduce(op));
  }

  private static OptionalLong optional(List<Long> found) {
    return found.isEmpty() ? OptionalLong.empty() : OptionalLong.of(found.getFirst());
  }

  @Override
  public boolean anyMatch(LongFunctions.Predicate predicate) {
    return isRecorded()
        ? onOwners().anyMatch("anyMatch", predicate)
        : anyMatch((LongPredicate) predicate);
  }

  @Override
  public boolean anyMatch(LongPredicate predicate) {
    return runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch(LongFunctions.Predicate predicate) {
    return isRecorded() ? onOwners().allMatch(predicate) : allMatch((LongPredicate) predicate);
  }

  @Override
  public boolean allMatch(LongPredicate predicate) {
    return runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch(LongFunctions.Predicate predicate) {
    return isRecorded()
        ? !onOwners().anyMatch("noneMatch", predicate)
        : noneMatch((LongPredicate) predicate);
  }

  @Override
  public boolean noneMatch(LongPredicate predicate) {
    return runLocally(stream -> stream.noneMatch(predicate));
  }

  /** Returns any element; after {@code sorted}, the first. */
  @Override
  public OptionalLong findFirst() {
    // After a sort only one element is needed, so each owner sends just its first one.
    return isRecorded()
        ? optional(onOwners().<Long>findAny())
        : runOnFirstLocally(LongStream::findFirst);
  }

  /** Same as {@link #findFirst}, which may return any element. */
  @Override
  public OptionalLong findAny() {
    return findFirst();
  }

  @Override
  public void forEach(LongFunctions.Consumer action) {
    if (isRecorded()) {
      onOwners().forEach(action);
    } else {
      forEach((LongConsumer) action);
    }
  }

  @Override
  public void forEach(LongConsumer action) {
    consumeLocally(stream -> stream.forEach(action));
  }

  @Override
  public <K, V> void forEach(LongFunctions.Accumulator<Cache<K, V>> action) {
    Objects.requireNonNull(action);
    if (isRecorded()) {
      onOwners().forEachWithCache(action);
    } else {
      Cache<K, V> cache = cache();
      forEach((LongConsumer) element -> action.accept(cache, element));
    }
  }

  @Override
  public void forEachOrdered(LongConsumer action) {
    consumeLocally(stream -> stream.forEachOrdered(action));
  }

  @Override
  public long[] toArray() {
    return runLocally(LongStream::toArray);
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return openLocally().iterator();
  }

  @Override
  public Spliterator.OfLong spliterator() {
    return openLocally().spliterator();
  }
}
