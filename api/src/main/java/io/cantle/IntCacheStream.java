package io.cantle;

import io.cantle.function.IntFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * A {@link CacheStream} of primitive {@code int} elements. Everything said there holds here.
 *
 * <p><b>Threading:</b> immutable; functions run on many threads.
 */
public interface IntCacheStream extends IntStream, ScanSettings<IntCacheStream> {

  /** {@link IntStream#filter} on the owners. */
  IntCacheStream filter(IntFunctions.Predicate predicate);

  @Override
  IntCacheStream filter(IntPredicate predicate);

  /** {@link IntStream#map} on the owners. */
  IntCacheStream map(IntFunctions.UnaryOperator mapper);

  @Override
  IntCacheStream map(IntUnaryOperator mapper);

  /** {@link IntStream#mapToObj} on the owners. */
  <R> CacheStream<R> mapToObj(IntFunctions.ToObject<? extends R> mapper);

  @Override
  <R> CacheStream<R> mapToObj(IntFunction<? extends R> mapper);

  /** {@link IntStream#mapToLong} on the owners. */
  LongCacheStream mapToLong(IntFunctions.ToLong mapper);

  @Override
  LongCacheStream mapToLong(IntToLongFunction mapper);

  /** {@link IntStream#mapToDouble} on the owners. */
  DoubleCacheStream mapToDouble(IntFunctions.ToDouble mapper);

  @Override
  DoubleCacheStream mapToDouble(IntToDoubleFunction mapper);

  /** {@link IntStream#flatMap} on the owners. */
  IntCacheStream flatMap(IntFunctions.ToObject<? extends IntStream> mapper);

  @Override
  IntCacheStream flatMap(IntFunction<? extends IntStream> mapper);

  /** {@link IntStream#mapMulti} on the owners. */
  IntCacheStream mapMulti(IntFunctions.MapMulti mapper);

  @Override
  IntCacheStream mapMulti(IntMapMultiConsumer mapper);

  /** {@link IntStream#peek} on the owners. */
  IntCacheStream peek(IntFunctions.Consumer action);

  @Override
  IntCacheStream peek(IntConsumer action);

  @Override
  LongCacheStream asLongStream();

  @Override
  DoubleCacheStream asDoubleStream();

  @Override
  CacheStream<Integer> boxed();

  @Override
  IntCacheStream distinct();

  @Override
  IntCacheStream sorted();

  @Override
  IntCacheStream limit(long maxSize);

  @Override
  IntCacheStream skip(long n);

  @Override
  IntCacheStream takeWhile(IntPredicate predicate);

  @Override
  IntCacheStream dropWhile(IntPredicate predicate);

  @Override
  IntCacheStream sequential();

  /** See {@link CacheStream#parallel()}. */
  @Override
  IntCacheStream parallel();

  @Override
  IntCacheStream unordered();

  @Override
  IntCacheStream onClose(Runnable closeHandler);

  /** {@link IntStream#collect} on the owners; this node combines their results. */
  <R> R collect(
      SerializableSupplier<R> supplier,
      IntFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link IntStream#reduce(int, java.util.function.IntBinaryOperator)} on the owners. */
  int reduce(int identity, IntFunctions.BinaryOperator op);

  /** {@link IntStream#reduce(java.util.function.IntBinaryOperator)} on the owners. */
  OptionalInt reduce(IntFunctions.BinaryOperator op);

  /** {@link IntStream#anyMatch} on the owners. */
  boolean anyMatch(IntFunctions.Predicate predicate);

  /** {@link IntStream#allMatch} on the owners. */
  boolean allMatch(IntFunctions.Predicate predicate);

  /** {@link IntStream#noneMatch} on the owners. */
  boolean noneMatch(IntFunctions.Predicate predicate);

  /**
   * Runs the action on the owners for each element, once or, if a node fails meanwhile, more often.
   */
  void forEach(IntFunctions.Consumer action);

  /**
   * As {@link #forEach(IntFunctions.Consumer)}, but the action also gets the cache, as opened on
   * its node.
   */
  <K, V> void forEach(IntFunctions.Accumulator<Cache<K, V>> action);

  /** Returns a publisher of the elements. The stages before it run where they do in this stream. */
  CachePublisher<Integer> publisher();
}
