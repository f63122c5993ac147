package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.PipelineStage.Kind;
import io.cantle.function.DoubleFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.function.BiConsumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.DoubleToIntFunction;
import java.util.function.DoubleToLongFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ObjDoubleConsumer;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;

/**
 * A stream of {@code double} elements that is recorded and run by the owners.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordedDoubleStream extends PipelineStream<Double, DoubleStream, DoubleCacheStream>
    implements DoubleCacheStream {
  RecordedDoubleStream(Pipeline pipeline) {
    super(pipeline);
  }

  @Override
  DoubleCacheStream with(Pipeline other) {
    return new RecordedDoubleStream(other);
  }

  // ------------------------------------------------------------------ stages

  @Override
  public DoubleCacheStream filter(DoubleFunctions.Predicate function) {
    return new RecordedDoubleStream(pipeline().withStage(Kind.DOUBLE_FILTER, "filter", function));
  }

  @Override
  public DoubleCacheStream filter(DoublePredicate function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.DOUBLE_FILTER, function));
  }

  @Override
  public DoubleCacheStream map(DoubleFunctions.UnaryOperator function) {
    return new RecordedDoubleStream(pipeline().withStage(Kind.DOUBLE_MAP, "map", function));
  }

  @Override
  public DoubleCacheStream map(DoubleUnaryOperator function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.DOUBLE_MAP, function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(DoubleFunctions.ToObject<? extends R> function) {
    return new RecordedStream<>(
        pipeline().withStage(Kind.DOUBLE_MAP_TO_OBJECT, "mapToObj", function));
  }

  @Override
  public <R> CacheStream<R> mapToObj(DoubleFunction<? extends R> function) {
    return new RecordedStream<>(pipeline().withLocalStage(Kind.DOUBLE_MAP_TO_OBJECT, function));
  }

  @Override
  public IntCacheStream mapToInt(DoubleFunctions.ToInt function) {
    return new RecordedIntStream(
        pipeline().withStage(Kind.DOUBLE_MAP_TO_INT, "mapToInt", function));
  }

  @Override
  public IntCacheStream mapToInt(DoubleToIntFunction function) {
    return new RecordedIntStream(pipeline().withLocalStage(Kind.DOUBLE_MAP_TO_INT, function));
  }

  @Override
  public LongCacheStream mapToLong(DoubleFunctions.ToLong function) {
    return new RecordedLongStream(
        pipeline().withStage(Kind.DOUBLE_MAP_TO_LONG, "mapToLong", function));
  }

  @Override
  public LongCacheStream mapToLong(DoubleToLongFunction function) {
    return new RecordedLongStream(pipeline().withLocalStage(Kind.DOUBLE_MAP_TO_LONG, function));
  }

  @Override
  public DoubleCacheStream flatMap(DoubleFunctions.ToObject<? extends DoubleStream> function) {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.DOUBLE_FLAT_MAP, "flatMap", function));
  }

  @Override
  public DoubleCacheStream flatMap(DoubleFunction<? extends DoubleStream> function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.DOUBLE_FLAT_MAP, function));
  }

  @Override
  public DoubleCacheStream mapMulti(DoubleFunctions.MapMulti function) {
    return new RecordedDoubleStream(
        pipeline().withStage(Kind.DOUBLE_MAP_MULTI, "mapMulti", function));
  }

  @Override
  public DoubleCacheStream mapMulti(DoubleMapMultiConsumer function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.DOUBLE_MAP_MULTI, function));
  }

  @Override
  public DoubleCacheStream peek(DoubleFunctions.Consumer function) {
    return new RecordedDoubleStream(pipeline().withStage(Kind.DOUBLE_PEEK, "peek", function));
  }

  @Override
  public DoubleCacheStream peek(DoubleConsumer function) {
    return new RecordedDoubleStream(pipeline().withLocalStage(Kind.DOUBLE_PEEK, function));
  }

  @Override
  public CacheStream<Double> boxed() {
    return new RecordedStream<>(pipeline().withStage(Kind.DOUBLE_BOXED, "boxed", null));
  }

  @Override
  public DoubleCacheStream takeWhile(DoublePredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.takeWhile(predicate));
  }

  @Override
  public DoubleCacheStream dropWhile(DoublePredicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.dropWhile(predicate));
  }

  // ------------------------------------------------------------------ terminal operations

  @Override
  public DoubleSummaryStatistics summaryStatistics() {
    if (!isRecorded()) {
      return runLocally(DoubleStream::summaryStatistics);
    }
    DoubleSummaryStatistics summary = new DoubleSummaryStatistics();
    onOwners().collectSummaries(in -> summary.combine(ElementKind.readDoubleSummary(in)));
    return summary;
  }

  @Override
  public double sum() {
    return summaryStatistics().getSum();
  }

  @Override
  public OptionalDouble average() {
    DoubleSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(summary.getAverage());
  }

  @Override
  public OptionalDouble min() {
    DoubleSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalDouble.empty() : OptionalDouble.of(summary.getMin());
  }

  @Override
  public OptionalDouble max() {
    DoubleSummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? OptionalDouble.empty() : OptionalDouble.of(summary.getMax());
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      DoubleFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return isRecorded()
        ? onOwners().collect(supplier, accumulator, combiner)
        : collect((Supplier<R>) supplier, accumulator, combiner);
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, ObjDoubleConsumer<R> accumulator, BiConsumer<R, R> combiner) {
    return runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public double reduce(double identity, DoubleFunctions.BinaryOperator op) {
    return isRecorded()
        ? onOwners().<Double>reduce(op, List.of(identity)).getFirst()
        : reduce(identity, (DoubleBinaryOperator) op);
  }

  @Override
  public double reduce(double identity, DoubleBinaryOperator op) {
    return runLocally(stream -> stream.reduce(identity, op));
  }

  @Override
  public OptionalDouble reduce(DoubleFunctions.BinaryOperator op) {
    return isRecorded()
        ? optional(onOwners().<Double>reduce(op, List.of()))
        : reduce((DoubleBinaryOperator) op);
  }

  @Override
  public OptionalDouble reduce(DoubleBinaryOperator op) {
    return runLocally(stream -> stream.reduce(op));
  }

  private static OptionalDouble optional(List<Double> found) {
    return found.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(found.getFirst());
  }

  @Override
  public boolean anyMatch(DoubleFunctions.Predicate predicate) {
    return isRecorded()
        ? onOwners().anyMatch("anyMatch", predicate)
        : anyMatch((DoublePredicate) predicate);
  }

  @Override
  public boolean anyMatch(DoublePredicate predicate) {
    return runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch(DoubleFunctions.Predicate predicate) {
    return isRecorded() ? onOwners().allMatch(predicate) : allMatch((DoublePredicate) predicate);
  }

  @Override
  public boolean allMatch(DoublePredicate predicate) {
    return runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch(DoubleFunctions.Predicate predicate) {
    return isRecorded()
        ? !onOwners().anyMatch("noneMatch", predicate)
        : noneMatch((DoublePredicate) predicate);
  }

  @Override
  public boolean noneMatch(DoublePredicate predicate) {
    return runLocally(stream -> stream.noneMatch(predicate));
  }

  /** Returns any element; after {@code sorted}, the first. */
  @Override
  public OptionalDouble findFirst() {
    // After a sort only one element is needed, so each owner sends just its first one.
    return isRecorded()
        ? optional(onOwners().<Double>findAny())
        : runOnFirstLocally(DoubleStream::findFirst);
  }

  /** Same as {@link #findFirst}, which may return any element. */
  @Override
  public OptionalDouble findAny() {
    return findFirst();
  }

  @Override
  public void forEach(DoubleFunctions.Consumer action) {
    if (isRecorded()) {
      onOwners().forEach(action);
    } else {
      forEach((DoubleConsumer) action);
    }
  }

  @Override
  public void forEach(DoubleConsumer action) {
    consumeLocally(stream -> stream.forEach(action));
  }

  @Override
  public <K, V> void forEach(DoubleFunctions.Accumulator<Cache<K, V>> action) {
    Objects.requireNonNull(action);
    if (isRecorded()) {
      onOwners().forEachWithCache(action);
    } else {
      Cache<K, V> cache = cache();
      forEach((DoubleConsumer) element -> action.accept(cache, element));
    }
  }

  @Override
  public void forEachOrdered(DoubleConsumer action) {
    consumeLocally(stream -> stream.forEachOrdered(action));
  }

  @Override
  public double[] toArray() {
    return runLocally(DoubleStream::toArray);
  }

  @Override
  public PrimitiveIterator.OfDouble iterator() {
    return openLocally().iterator();
  }

  @Override
  public Spliterator.OfDouble spliterator() {
    return openLocally().spliterator();
  }
}
