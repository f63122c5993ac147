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
 * A stream over the entries of a cache whose stages run on the nodes that own the entries, so that
 * only results travel. Each entry present throughout counts exactly once, whatever nodes join,
 * leave or crash; entries that come or go meanwhile count once or not at all. A result that could
 * not be completed is an exception, never a partial result.
 *
 * <p><b>Where stages run.</b> These stages run on the owners: {@code filter}, {@code map} and its
 * variants, {@code flatMap}, {@code mapMulti}, {@code peek}, {@code boxed} and the conversions.
 * They do so as long as all stages before them do, and if their function can be sent. A lambda or
 * method reference passed directly can be sent without a cast: the compiler chooses the overload
 * that takes a serializable type.
 *
 * <p>The rest of a stream runs on the calling node, over the elements as they arrive. The rest
 * begins at the first stage that needs the whole ({@code distinct}, {@code sorted}, {@code limit},
 * {@code skip}, {@code takeWhile}, {@code dropWhile}, {@code gather}), or that got a function of a
 * plain {@code java.util.function} type. Terminal operations run on the owners under the same
 * conditions; only their results travel.
 *
 * <p><b>Reuse.</b> A stream is a description: nothing happens before its terminal operation. It is
 * immutable: every method returns another stream, and each may be used any number of times. Each
 * use is a scan of its own.
 *
 * <p><b>Functions</b> must not change the objects they are given: owners keep decoded objects and
 * share them between streams. A function may run more than once for an entry if a node fails in the
 * middle, or if what it made no longer fits into the answer; its earlier results are then dropped.
 * {@link #forEachOnOwners} is the exception: its side effects stay. What a function throws on an
 * owner ends the stream with a {@link FunctionException} that names the node and has the cause. A
 * function that runs here throws what it throws.
 *
 * <p><b>What a function captures</b> is copied to each owner, this node included, so a change of it
 * would be lost. Collections, maps, arrays, string builders and summary statistics may be captured
 * and read. If a function changes one, the stream ends with a {@link FunctionException} that names
 * it; a method reference to a method that changes it, such as {@code seen::add}, is refused at
 * once. So are captured atomics, adders, locks and sources of random numbers. The same holds for
 * what is in the fields of {@code this}, of {@code tracker} in {@code tracker::isNew}, and of an
 * object that is itself the function. Bring results back with {@code collect}, {@code reduce},
 * {@code count} or the like, or run the function here: with {@code forEach}, or given as its {@code
 * java.util.function} type. Changes of other objects are not noticed.
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
   * {@link Stream#flatMap} on the owners. All elements of an entry are made at once, whatever
   * {@code limit} follows. They may take 16 MiB where they are sent, and 256 MiB of memory where a
   * collector or a reduction may keep them; so an infinite stream fails.
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
   * The elements without duplicates. Keys and entries have none; of other elements this node
   * remembers each it has seen. After stages that run on the owners, the owners drop duplicates
   * within one answer about a segment, so little travels where few elements differ.
   */
  @Override
  CacheStream<T> distinct();

  /**
   * Sorts in natural order; see {@link #sorted(SerializableComparator)}.
   *
   * @throws ClassCastException when the stream runs, if elements are not {@link Comparable}; from
   *     an owner it comes as the cause of a {@link FunctionException}
   */
  @Override
  CacheStream<T> sorted();

  /**
   * Sorts in the order of a comparator. If {@code limit(k)} follows, perhaps with {@code skip(n)}
   * or stages like {@code map} in between, each owner picks its first {@code n + k} elements, up to
   * 10,000, and only these travel and are kept. The same holds for {@code findFirst}. Otherwise, or
   * if these first elements alone take more than 64 MiB, this node sorts all elements as they
   * arrive. What exceeds 64 MiB of memory is kept in a temporary file until the stream is done.
   */
  CacheStream<T> sorted(SerializableComparator<? super T> comparator);

  /**
   * Like {@link #sorted(SerializableComparator)}, except that all elements travel, whatever
   * follows, if the comparator cannot be sent. {@link Comparator#reverseOrder} can be sent. {@link
   * Comparator#comparing} of a lambda cannot; use {@link SerializableComparator#comparing} or one
   * of its variants.
   */
  @Override
  CacheStream<T> sorted(Comparator<? super T> comparator);

  /**
   * Some of the elements, or the first in order after {@code sorted}. Pulls no more than needed.
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

  /** Uses one thread on each owner and one here. The default. */
  @Override
  CacheStream<T> sequential();

  /**
   * Uses several threads on each owner for operations that end on the owners ({@code collect},
   * {@code reduce}, {@code count} and similar ones, {@code forEachOnOwners}, {@code sorted} with
   * {@code limit}). Nothing changes for elements that come here, for iterators, publishers and
   * stages that run here. They are pulled by up to four requests at a time anyway, and what runs
   * here runs on one thread.
   */
  @Override
  CacheStream<T> parallel();

  @Override
  CacheStream<T> unordered();

  /** Makes {@link #close} of the returned stream, and of streams made from it, run this handler. */
  @Override
  CacheStream<T> onClose(Runnable closeHandler);

  /**
   * Collects on the owners, each with a collector it makes for itself, and merges the partial
   * results with the collector's combiner: {@code collect(() -> Collectors.groupingBy(Flight::hour,
   * Collectors.counting()))}. {@link CacheCollectors} has collectors that need no supplier, for
   * {@link Stream#collect(Collector)}. An answer of an owner covers as many entries as fit into 64
   * MiB when collected.
   *
   * @throws IllegalArgumentException if two new containers of the collector, combined, differ from
   *     a new one, so that the result would depend on the number of owners
   * @throws GridException if what the collector makes of a single entry takes more than that
   */
  <R, A> R collect(SerializableSupplier<Collector<? super T, A, R>> collector);

  /**
   * {@link Stream#collect(Supplier, BiConsumer, BiConsumer)} on the owners; this node combines
   * their results.
   *
   * @throws IllegalArgumentException if a container that the supplier makes adds to the result when
   *     it is combined, so that the result would depend on the number of owners
   */
  <R> R collect(
      SerializableSupplier<R> supplier,
      SerializableBiConsumer<R, ? super T> accumulator,
      SerializableBiConsumer<R, R> combiner);

  /**
   * {@link Stream#reduce(Object, BinaryOperator)} on the owners. The identity counts once, so any
   * value will do. Elements have no order, so the function must be associative, and commutative
   * where order matters.
   *
   * @throws FunctionException if an owner finds that the function is not associative
   * @throws IllegalArgumentException if this node finds it, from the results of several owners
   */
  T reduce(T identity, SerializableBinaryOperator<T> accumulator);

  /**
   * {@link Stream#reduce(BinaryOperator)} on the owners. Elements have no order, so the function
   * must be associative, and commutative where order matters.
   *
   * @throws FunctionException if an owner finds that the function is not associative
   * @throws IllegalArgumentException if this node finds it, from the results of several owners
   */
  Optional<T> reduce(SerializableBinaryOperator<T> accumulator);

  /**
   * {@link Stream#reduce(Object, BiFunction, BinaryOperator)} on the owners. Each of them begins
   * with the identity, and the combiner puts their results together.
   *
   * @throws IllegalArgumentException if the value is no identity of the combiner, so that the
   *     result would depend on the number of owners
   */
  <U> U reduce(
      U identity,
      SerializableBiFunction<U, ? super T, U> accumulator,
      SerializableBinaryOperator<U> combiner);

  /** {@link Stream#min} on the owners. */
  Optional<T> min(SerializableComparator<? super T> comparator);

  /** {@link Stream#max} on the owners. */
  Optional<T> max(SerializableComparator<? super T> comparator);

  /** {@link Stream#anyMatch} on the owners; those at work stop once the result is known. */
  boolean anyMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#allMatch} on the owners; those at work stop once the result is known. */
  boolean allMatch(SerializablePredicate<? super T> predicate);

  /** {@link Stream#noneMatch} on the owners; those at work stop once the result is known. */
  boolean noneMatch(SerializablePredicate<? super T> predicate);

  /** The first element after {@code sorted}, otherwise any: a cache itself has no order. */
  @Override
  Optional<T> findFirst();

  /**
   * Runs the action on this node for each element, as it arrives: {@code forEach(list::add)} fills
   * the list. {@link #forEachOnOwners} runs where the elements are.
   */
  @Override
  void forEach(Consumer<? super T> action);

  /** Like {@link #forEach}, in the order of the elements after {@code sorted}. */
  @Override
  void forEachOrdered(Consumer<? super T> action);

  /**
   * Runs the action on the owners for each element, once or, if a node fails meanwhile, more often:
   * side effects cannot be undone. Only counts come back.
   *
   * @throws IndeterminateException if the call cannot end once an owner was asked: the action may
   *     have run for some elements
   */
  void forEachOnOwners(SerializableConsumer<? super T> action);

  /**
   * Like {@link #forEachOnOwners}, but the action also gets the stream's cache, as opened on the
   * owner. The action may use the cache, but must not wait there for this stream.
   *
   * @throws IndeterminateException as {@link #forEachOnOwners}
   * @throws CacheDestroyedException if the cache was destroyed meanwhile; the action may have run
   *     for some elements
   */
  <K, V> void forEachWithCache(SerializableBiConsumer<Cache<K, V>, ? super T> action);

  /** Returns an iterator that pulls elements as they are needed, and no faster. */
  @Override
  CloseableIterator<T> iterator();

  /** Returns a publisher of the elements. The stages before it run where they do in this stream. */
  CachePublisher<T> publisher();

  /** Stops what this stream has begun and not ended, and runs its close handlers, once. */
  @Override
  void close();
}
