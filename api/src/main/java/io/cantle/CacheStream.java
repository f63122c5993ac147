package io.cantle;

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
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
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
 * A stream over the entries of a cache. Its stages run on the nodes that own the entries; only
 * results travel. Each entry present throughout counts exactly once, through join, leave and crash;
 * entries that come or go meanwhile count once or not at all. A result that could not be completed
 * is an exception, never a part of it.
 *
 * <p><b>Owners or here.</b> {@code filter}, {@code map} and its kin, {@code flatMap}, {@code
 * mapMulti}, {@code peek}, {@code boxed} and the conversions run on the nodes that own the entries,
 * as long as everything before them does and their function can be sent: a lambda or method
 * reference written in place becomes one without a cast, by the overload that takes a serializable
 * type. From the first stage on that needs the whole ({@code distinct}, {@code sorted}, {@code
 * limit}, {@code skip}, {@code takeWhile}, {@code dropWhile}, {@code gather}), or that was given a
 * function of a plain {@code java.util.function} type, the rest runs on the calling node over the
 * elements as they arrive. Operations that end a stream run on the owners under the same condition;
 * only their results travel.
 *
 * <p><b>A description.</b> Nothing happens before the operation that ends a stream. A stream is
 * immutable: every method returns another one, and each may be used any number of times; each use
 * is a scan of its own.
 *
 * <p><b>Functions</b> must not change the objects they are given: owners keep decoded objects and
 * share them between streams. What they capture is copied to each owner, this node included: a list
 * that a lambda adds to stays empty here; {@code collect} brings results back. A function may run
 * more than once for an entry if a node fails in the middle, or what it made fits no answer any
 * more; its earlier results are then dropped. {@link #forEach(SerializableConsumer)} is the
 * exception. What a function throws ends the stream with a {@link FunctionException} that names the
 * node and has the cause; one that runs here throws what it throws.
 *
 * <p><b>Threading:</b> immutable; functions run on many threads.
 */
public interface CacheStream<T> extends Stream<T>, ScanSettings<CacheStream<T>> {

  /** {@link Stream#filter} on the owners. */
  CacheStream<T> filter(SerializablePredicate<? super T> predicate);

  @Override
  CacheStream<T> filter(Predicate<? super T> predicate);

  /** {@link Stream#map} on the owners. */
  <R> CacheStream<R> map(SerializableFunction<? super T, ? extends R> mapper);

  @Override
  <R> CacheStream<R> map(Function<? super T, ? extends R> mapper);

  /** {@link Stream#mapToInt} on the owners. */
  IntCacheStream mapToInt(SerializableToIntFunction<? super T> mapper);

  @Override
  IntCacheStream mapToInt(ToIntFunction<? super T> mapper);

  /** {@link Stream#mapToLong} on the owners. */
  LongCacheStream mapToLong(SerializableToLongFunction<? super T> mapper);

  @Override
  LongCacheStream mapToLong(ToLongFunction<? super T> mapper);

  /** {@link Stream#mapToDouble} on the owners. */
  DoubleCacheStream mapToDouble(SerializableToDoubleFunction<? super T> mapper);

  @Override
  DoubleCacheStream mapToDouble(ToDoubleFunction<? super T> mapper);

  /**
   * {@link Stream#flatMap} on the owners. What becomes of an entry is made whole, whatever {@code
   * limit} follows, and takes 16 MiB at most where it is sent, 256 MiB in memory where a collector
   * or a reduction may keep it: a stream without end fails.
   */
  <R> CacheStream<R> flatMap(SerializableFunction<? super T, ? extends Stream<? extends R>> mapper);

  @Override
  <R> CacheStream<R> flatMap(Function<? super T, ? extends Stream<? extends R>> mapper);

  /** {@link Stream#flatMapToInt} on the owners. */
  IntCacheStream flatMapToInt(SerializableFunction<? super T, ? extends IntStream> mapper);

  @Override
  IntCacheStream flatMapToInt(Function<? super T, ? extends IntStream> mapper);

  /** {@link Stream#flatMapToLong} on the owners. */
  LongCacheStream flatMapToLong(SerializableFunction<? super T, ? extends LongStream> mapper);

  @Override
  LongCacheStream flatMapToLong(Function<? super T, ? extends LongStream> mapper);

  /** {@link Stream#flatMapToDouble} on the owners. */
  DoubleCacheStream flatMapToDouble(SerializableFunction<? super T, ? extends DoubleStream> mapper);

  @Override
  DoubleCacheStream flatMapToDouble(Function<? super T, ? extends DoubleStream> mapper);

  /** {@link Stream#mapMulti} on the owners. */
  <R> CacheStream<R> mapMulti(SerializableBiConsumer<? super T, ? super Consumer<R>> mapper);

  @Override
  <R> CacheStream<R> mapMulti(BiConsumer<? super T, ? super Consumer<R>> mapper);

  /** {@link Stream#mapMultiToInt} on the owners. */
  IntCacheStream mapMultiToInt(SerializableBiConsumer<? super T, ? super IntConsumer> mapper);

  @Override
  IntCacheStream mapMultiToInt(BiConsumer<? super T, ? super IntConsumer> mapper);

  /** {@link Stream#mapMultiToLong} on the owners. */
  LongCacheStream mapMultiToLong(SerializableBiConsumer<? super T, ? super LongConsumer> mapper);

  @Override
  LongCacheStream mapMultiToLong(BiConsumer<? super T, ? super LongConsumer> mapper);

  /** {@link Stream#mapMultiToDouble} on the owners. */
  DoubleCacheStream mapMultiToDouble(
      SerializableBiConsumer<? super T, ? super DoubleConsumer> mapper);

  @Override
  DoubleCacheStream mapMultiToDouble(BiConsumer<? super T, ? super DoubleConsumer> mapper);

  /** {@link Stream#peek} on the owners. */
  CacheStream<T> peek(SerializableConsumer<? super T> action);

  @Override
  CacheStream<T> peek(Consumer<? super T> action);

  /**
   * The elements without repetition. Keys and entries have none; of other elements this node
   * remembers each it has seen. Behind stages that run on the owners, these leave out what is equal
   * in one answer about a segment, so that little travels where few elements differ.
   */
  @Override
  CacheStream<T> distinct();

  /**
   * In natural order; see {@link #sorted(SerializableComparator)}.
   *
   * @throws ClassCastException when the stream is run, if elements are not {@link Comparable}; from
   *     an owner as the cause of a {@link FunctionException}
   */
  @Override
  CacheStream<T> sorted();

  /**
   * In the order of a comparator. Followed by {@code limit(k)}, perhaps with {@code skip(n)} or
   * stages like {@code map} in between, each owner picks its first {@code n + k} elements, and no
   * more travel or are kept, up to 10,000; the same for {@code findFirst}. Otherwise, and when
   * these first ones alone take more than 64 MiB, this node sorts all elements as they arrive; what
   * exceeds 64 MiB of memory is kept in a temporary file until the stream is done.
   */
  CacheStream<T> sorted(SerializableComparator<? super T> comparator);

  /**
   * As {@link #sorted(SerializableComparator)}; if the comparator cannot be sent, all elements
   * travel whatever follows. {@link Comparator#reverseOrder} can, {@link Comparator#comparing} of a
   * lambda cannot: {@link SerializableComparator#comparing} and its kin can.
   */
  @Override
  CacheStream<T> sorted(Comparator<? super T> comparator);

  /**
   * Some of the elements, or the first in order after {@code sorted}; pulls no more than needed.
   */
  @Override
  CacheStream<T> limit(long maxSize);

  @Override
  CacheStream<T> skip(long n);

  @Override
  CacheStream<T> takeWhile(Predicate<? super T> predicate);

  @Override
  CacheStream<T> dropWhile(Predicate<? super T> predicate);

  @Override
  <R> CacheStream<R> gather(Gatherer<? super T, ?, R> gatherer);

  /** One thread on each owner, and here: how it is unless set. */
  @Override
  CacheStream<T> sequential();

  /**
   * Several threads on each owner, for operations that end on the owners ({@code collect}, {@code
   * reduce}, {@code count} and their like, {@code forEach}, {@code sorted} with {@code limit}).
   * Nothing changes for elements that come here, with iterators, publishers and stages that run
   * here: owners are asked for those by up to four requests at a time anyway, and what runs here
   * runs on one thread.
   */
  @Override
  CacheStream<T> parallel();

  @Override
  CacheStream<T> unordered();

  /** Has {@link #close} of the stream returned, or of one made from it, run something. */
  @Override
  CacheStream<T> onClose(Runnable closeHandler);

  /**
   * Collects on the owners with the collector each of them makes for itself, and merges the partial
   * results with its combiner: {@code collect(() -> Collectors.groupingBy(Flight::hour,
   * Collectors.counting()))}. An owner answers for as many entries as fit 64 MiB when collected.
   *
   * @throws GridException if what the collector makes of a single entry takes more than that
   */
  <R, A> R collect(SerializableSupplier<Collector<? super T, A, R>> collector);

  /** {@link Stream#collect(Supplier, BiConsumer, BiConsumer)} on the owners; combined here. */
  <R> R collect(
      SerializableSupplier<R> supplier,
      SerializableBiConsumer<R, ? super T> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /** {@link Stream#reduce(Object, BinaryOperator)} on the owners. */
  T reduce(T identity, SerializableBinaryOperator<T> accumulator);

  /** {@link Stream#reduce(BinaryOperator)} on the owners. */
  Optional<T> reduce(SerializableBinaryOperator<T> accumulator);

  /** {@link Stream#reduce(Object, BiFunction, BinaryOperator)} on the owners. */
  <U> U reduce(
      U identity,
      SerializableBiFunction<U, ? super T, U> accumulator,
      SerializableBinaryOperator<U> combiner);

  /** {@link Stream#min} on the owners. */
  Optional<T> min(SerializableComparator<? super T> comparator);

  /** {@link Stream#max} on the owners. */
  Optional<T> max(SerializableComparator<? super T> comparator);

  /** {@link Stream#anyMatch} on the owners; those at work stop once it is decided. */
  boolean anyMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#allMatch} on the owners; those at work stop once it is decided. */
  boolean allMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#noneMatch} on the owners; those at work stop once it is decided. */
  boolean noneMatch(SerializablePredicate<? super T> predicate);

  /** Any element, after {@code sorted} the first; a cache itself has no order. */
  @Override
  Optional<T> findFirst();

  /**
   * Runs on the owners for each element, at least once when a node fails meanwhile: side effects
   * cannot be taken back. Only counts come back.
   */
  void forEach(SerializableConsumer<? super T> action);

  /**
   * As {@link #forEach(SerializableConsumer)}, and gives the function the cache of the stream as it
   * is opened on its node. It may use it, but not wait there for this stream.
   */
  <K, V> void forEach(SerializableBiConsumer<Cache<K, V>, ? super T> action);

  /** Pulls the elements as they are asked for, and no faster. */
  @Override
  CloseableIterator<T> iterator();

  /** A publisher of the elements; the stages before it run where they do in this stream. */
  CachePublisher<T> publisher();

  /** Stops what this object has begun and not ended, and runs its close handlers, once. */
  @Override
  void close();
}
