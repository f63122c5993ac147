package io.cantle;

import io.cantle.function.$Type$Functions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.Optional$Type$;
import java.util.function.$Type$Consumer;
import java.util.function.$Type$Function;
import java.util.function.$Type$Predicate;
import java.util.function.$Type$To$Second$Function;
import java.util.function.$Type$To$Third$Function;
import java.util.function.$Type$UnaryOperator;
import java.util.stream.$Type$Stream;

/**
 * A {@link CacheStream} of primitive {@code $type$} elements. Everything said there holds here.
 *
 * <p><b>Threading:</b> immutable; functions run on many threads.
 */
public interface $Type$CacheStream extends $Type$Stream, ScanSettings<$Type$CacheStream> {

  /** {@link $Type$Stream#filter} on the owners. */
  $Type$CacheStream filter($Type$Functions.Predicate predicate);

  @Override
  $Type$CacheStream filter($Type$Predicate predicate);

  /** {@link $Type$Stream#map} on the owners. */
  $Type$CacheStream map($Type$Functions.UnaryOperator mapper);

  @Override
  $Type$CacheStream map($Type$UnaryOperator mapper);

  /** {@link $Type$Stream#mapToObj} on the owners. */
  <R> CacheStream<R> mapToObj($Type$Functions.ToObject<? extends R> mapper);

  @Override
  <R> CacheStream<R> mapToObj($Type$Function<? extends R> mapper);

  /** {@link $Type$Stream#mapTo$Second$} on the owners. */
  $Second$CacheStream mapTo$Second$($Type$Functions.To$Second$ mapper);

  @Override
  $Second$CacheStream mapTo$Second$($Type$To$Second$Function mapper);

  /** {@link $Type$Stream#mapTo$Third$} on the owners. */
  $Third$CacheStream mapTo$Third$($Type$Functions.To$Third$ mapper);

  @Override
  $Third$CacheStream mapTo$Third$($Type$To$Third$Function mapper);

  /** {@link $Type$Stream#flatMap} on the owners. */
  $Type$CacheStream flatMap($Type$Functions.ToObject<? extends $Type$Stream> mapper);

  @Override
  $Type$CacheStream flatMap($Type$Function<? extends $Type$Stream> mapper);

  /** {@link $Type$Stream#mapMulti} on the owners. */
  $Type$CacheStream mapMulti($Type$Functions.MapMulti mapper);

  @Override
  $Type$CacheStream mapMulti($Type$MapMultiConsumer mapper);

  /** {@link $Type$Stream#peek} on the owners. */
  $Type$CacheStream peek($Type$Functions.Consumer action);

  @Override
  $Type$CacheStream peek($Type$Consumer action);

  // What the elements can be widened to: $Widenings$

  @Override
  CacheStream<$Box$> boxed();

  @Override
  $Type$CacheStream distinct();

  @Override
  $Type$CacheStream sorted();

  @Override
  $Type$CacheStream limit(long maxSize);

  @Override
  $Type$CacheStream skip(long n);

  @Override
  $Type$CacheStream takeWhile($Type$Predicate predicate);

  @Override
  $Type$CacheStream dropWhile($Type$Predicate predicate);

  @Override
  $Type$CacheStream sequential();

  /** See {@link CacheStream#parallel()}. */
  @Override
  $Type$CacheStream parallel();

  @Override
  $Type$CacheStream unordered();

  @Override
  $Type$CacheStream onClose(Runnable closeHandler);

  /** {@link $Type$Stream#collect} on the owners; see {@link CacheStream}. */
  <R> R collect(
      SerializableSupplier<R> supplier,
      $Type$Functions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link $Type$Stream#reduce($type$, java.util.function.$Type$BinaryOperator)} on the owners. */
  $type$ reduce($type$ identity, $Type$Functions.BinaryOperator op);

  /** {@link $Type$Stream#reduce(java.util.function.$Type$BinaryOperator)} on the owners. */
  Optional$Type$ reduce($Type$Functions.BinaryOperator op);

  /** {@link $Type$Stream#anyMatch} on the owners. */
  boolean anyMatch($Type$Functions.Predicate predicate);

  /** {@link $Type$Stream#allMatch} on the owners. */
  boolean allMatch($Type$Functions.Predicate predicate);

  /** {@link $Type$Stream#noneMatch} on the owners. */
  boolean noneMatch($Type$Functions.Predicate predicate);

  /** See {@link CacheStream#forEachOnOwners}. */
  void forEachOnOwners($Type$Functions.Consumer action);

  /** See {@link CacheStream#forEachWithCache}. */
  <K, V> void forEachWithCache($Type$Functions.Accumulator<Cache<K, V>> action);

  /** Returns a publisher of the elements. The stages before it run where they do in this stream. */
  CachePublisher<$Box$> publisher();
}
