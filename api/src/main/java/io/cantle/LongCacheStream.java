package io.cantle;

import io.cantle.function.LongFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * A {@link CacheStream} of primitive {@code long} elements. Everything said there holds here.
 *
 * <p><b>Threading:</b> immutable; functions run on many threads.
 */
public interface LongCacheStream extends LongStream, ScanSettings<LongCacheStream> {

  /** {@link LongStream#filter} on the owners. */
  LongCacheStream filter(LongFunctions.Predicate predicate);

  @Override
  LongCacheStream filter(LongPredicate predicate);

  /** {@link LongStream#map} on the owners. */
  LongCacheStream map(LongFunctions.UnaryOperator mapper);

  @Override
  LongCacheStream map(LongUnaryOperator mapper);

  /** {@link LongStream#mapToObj} on the owners. */
  <R> CacheStream<R> mapToObj(LongFunctions.ToObject<? extends R> mapper);

  @Override
  <R> CacheStream<R> mapToObj(LongFunction<? extends R> mapper);

  /** {@link LongStream#mapToInt} on the owners. */
  IntCacheStream mapToInt(LongFunctions.ToInt mapper);

  @Override
  IntCacheStream mapToInt(LongToIntFunction mapper);

  /** {@link LongStream#mapToDouble} on the owners. */
  DoubleCacheStream mapToDouble(LongFunctions.ToDouble mapper);

  @Override
  DoubleCacheStream mapToDouble(LongToDoubleFunction mapper);

  /** {@link LongStream#flatMap} on the owners. */
  LongCacheStream flatMap(LongFunctions.ToObject<? extends LongStream> mapper);

  @Override
  LongCacheStream flatMap(LongFunction<? extends LongStream> mapper);

  /** {@link LongStream#mapMulti} on the owners. */
  LongCacheStream mapMulti(LongFunctions.MapMulti mapper);

  @Override
  LongCacheStream mapMulti(LongMapMultiConsumer mapper);

  /** {@link LongStream#peek} on the owners. */
  LongCacheStream peek(LongFunctions.Consumer action);

  @Override
  LongCacheStream peek(LongConsumer action);

  @Override
  DoubleCacheStream asDoubleStream();

  @Override
  CacheStream<Long> boxed();

  @Override
  LongCacheStream distinct();

  @Override
  LongCacheStream sorted();

  @Override
  LongCacheStream limit(long maxSize);

  @Override
  LongCacheStream skip(long n);

  @Override
  LongCacheStream takeWhile(LongPredicate predicate);

  @Override
  LongCacheStream dropWhile(LongPredicate predicate);

  @Override
  LongCacheStream sequential();

  /** See {@link CacheStream#parallel()}. */
  @Override
  LongCacheStream parallel();

  @Override
  LongCacheStream unordered();

  @Override
  LongCacheStream onClose(Runnable closeHandler);

  /** {@link LongStream#collect} on the owners; this node combines their results. */
  <R> R collect(
      SerializableSupplier<R> supplier,
      LongFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link LongStream#reduce(long, java.util.function.LongBinaryOperator)} on the owners. */
  long reduce(long identity, LongFunctions.BinaryOperator op);

  /** {@link LongStream#reduce(java.util.function.LongBinaryOperator)} on the owners. */
  OptionalLong reduce(LongFunctions.BinaryOperator op);

  /** {@link LongStream#anyMatch} on the owners. */
  boolean anyMatch(LongFunctions.Predicate predicate);

  /** {@link LongStream#allMatch} on the owners. */
  boolean allMatch(LongFunctions.Predicate predicate);

  /** {@link LongStream#noneMatch} on the owners. */
  boolean noneMatch(LongFunctions.Predicate predicate);

  /**
   * Runs the action on the owners for each element, once or, if a node fails meanwhile, more often.
   */
  void forEach(LongFunctions.Consumer action);

  /**
   * As {@link #forEach(LongFunctions.Consumer)}, but the action also gets the cache, as opened on
   * its node.
   */
  <K, V> void forEach(LongFunctions.Accumulator<Cache<K, V>> action);

  /** Returns a publisher of the elements. The stages before it run where they do in this stream. */
  CachePublisher<Long> publisher();
}
