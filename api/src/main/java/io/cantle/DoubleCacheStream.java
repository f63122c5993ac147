package io.cantle;

import io.cantle.function.DoubleFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.OptionalDouble;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.DoubleToIntFunction;
import java.util.function.DoubleToLongFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * A {@link CacheStream} of primitive {@code double} elements. Everything said there holds here.
 *
 * <p><b>Threading:</b> immutable; functions run on many threads.
 */
public interface DoubleCacheStream extends DoubleStream, ScanSettings<DoubleCacheStream> {

  /** {@link DoubleStream#filter} on the owners. */
  DoubleCacheStream filter(DoubleFunctions.Predicate predicate);

  @Override
  DoubleCacheStream filter(DoublePredicate predicate);

  /** {@link DoubleStream#map} on the owners. */
  DoubleCacheStream map(DoubleFunctions.UnaryOperator mapper);

  @Override
  DoubleCacheStream map(DoubleUnaryOperator mapper);

  /** {@link DoubleStream#mapToObj} on the owners. */
  <R> CacheStream<R> mapToObj(DoubleFunctions.ToObject<? extends R> mapper);

  @Override
  <R> CacheStream<R> mapToObj(DoubleFunction<? extends R> mapper);

  /** {@link DoubleStream#mapToInt} on the owners. */
  IntCacheStream mapToInt(DoubleFunctions.ToInt mapper);

  @Override
  IntCacheStream mapToInt(DoubleToIntFunction mapper);

  /** {@link DoubleStream#mapToLong} on the owners. */
  LongCacheStream mapToLong(DoubleFunctions.ToLong mapper);

  @Override
  LongCacheStream mapToLong(DoubleToLongFunction mapper);

  /** {@link DoubleStream#flatMap} on the owners. */
  DoubleCacheStream flatMap(DoubleFunctions.ToObject<? extends DoubleStream> mapper);

  @Override
  DoubleCacheStream flatMap(DoubleFunction<? extends DoubleStream> mapper);

  /** {@link DoubleStream#mapMulti} on the owners. */
  DoubleCacheStream mapMulti(DoubleFunctions.MapMulti mapper);

  @Override
  DoubleCacheStream mapMulti(DoubleMapMultiConsumer mapper);

  /** {@link DoubleStream#peek} on the owners. */
  DoubleCacheStream peek(DoubleFunctions.Consumer action);

  @Override
  DoubleCacheStream peek(DoubleConsumer action);

  @Override
  CacheStream<Double> boxed();

  @Override
  DoubleCacheStream distinct();

  @Override
  DoubleCacheStream sorted();

  @Override
  DoubleCacheStream limit(long maxSize);

  @Override
  DoubleCacheStream skip(long n);

  @Override
  DoubleCacheStream takeWhile(DoublePredicate predicate);

  @Override
  DoubleCacheStream dropWhile(DoublePredicate predicate);

  @Override
  DoubleCacheStream sequential();

  /** See {@link CacheStream#parallel()}. */
  @Override
  DoubleCacheStream parallel();

  @Override
  DoubleCacheStream unordered();

  @Override
  DoubleCacheStream onClose(Runnable closeHandler);

  /** {@link DoubleStream#collect} on the owners; this node combines their results. */
  <R> R collect(
      SerializableSupplier<R> supplier,
      DoubleFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link DoubleStream#reduce(double, java.util.function.DoubleBinaryOperator)} on the owners. */
  double reduce(double identity, DoubleFunctions.BinaryOperator op);

  /** {@link DoubleStream#reduce(java.util.function.DoubleBinaryOperator)} on the owners. */
  OptionalDouble reduce(DoubleFunctions.BinaryOperator op);

  /** {@link DoubleStream#anyMatch} on the owners. */
  boolean anyMatch(DoubleFunctions.Predicate predicate);

  /** {@link DoubleStream#allMatch} on the owners. */
  boolean allMatch(DoubleFunctions.Predicate predicate);

  /** {@link DoubleStream#noneMatch} on the owners. */
  boolean noneMatch(DoubleFunctions.Predicate predicate);

  /**
   * Runs the action on the owners for each element, once or, if a node fails meanwhile, more often.
   */
  void forEach(DoubleFunctions.Consumer action);

  /**
   * As {@link #forEach(DoubleFunctions.Consumer)}, but the action also gets the cache, as opened on
   * its node.
   */
  <K, V> void forEach(DoubleFunctions.Accumulator<Cache<K, V>> action);

  /** Returns a publisher of the elements. The stages before it run where they do in this stream. */
  CachePublisher<Double> publisher();
}
