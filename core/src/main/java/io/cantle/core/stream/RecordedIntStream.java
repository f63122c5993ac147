package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.core.stream.Pipeline.Here;
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
import java.util.function.Consumer;
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
final class RecordedIntStream extends Chained<Integer, IntCacheStream> implements IntCacheStream {
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
    return new RecordedIntStream(
        pipeline().stage(Stage.Kind.INT_FILTER, "filter", Objects.requireNonNull(function)));
  }

  @Override
  public IntCacheStream filter(IntPredicate function) {
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).filter(function)));
  }

  @Override
  public IntCacheStream map(IntFunctions.UnaryOperator function) {
    return new RecordedIntStream(
        pipeline().stage(Stage.Kind.INT_MAP, "map", Objects.requireNonNull(function)));
  }

  @Override
  public IntCacheStream map(IntUnaryOperator function) {
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).map(function)));
  }

  @Override
  public <R> CacheStream<R> mapToObj(IntFunctions.ToObject<? extends R> function) {
    return new RecordedStream<>(
        pipeline()
            .stage(Stage.Kind.INT_MAP_TO_OBJECT, "mapToObj", Objects.requireNonNull(function)));
  }

  @Override
  public <R> CacheStream<R> mapToObj(IntFunction<? extends R> function) {
    return new RecordedStream<>(
        pipeline().here(Shape.OBJECT, stream -> ((IntStream) stream).mapToObj(function)));
  }

  @Override
  public LongCacheStream mapToLong(IntFunctions.ToLong function) {
    return new RecordedLongStream(
        pipeline()
            .stage(Stage.Kind.INT_MAP_TO_LONG, "mapToLong", Objects.requireNonNull(function)));
  }

  @Override
  public LongCacheStream mapToLong(IntToLongFunction function) {
    return new RecordedLongStream(
        pipeline().here(Shape.LONG, stream -> ((IntStream) stream).mapToLong(function)));
  }

  @Override
  public DoubleCacheStream mapToDouble(IntFunctions.ToDouble function) {
    return new RecordedDoubleStream(
        pipeline()
            .stage(Stage.Kind.INT_MAP_TO_DOUBLE, "mapToDouble", Objects.requireNonNull(function)));
  }

  @Override
  public DoubleCacheStream mapToDouble(IntToDoubleFunction function) {
    return new RecordedDoubleStream(
        pipeline().here(Shape.DOUBLE, stream -> ((IntStream) stream).mapToDouble(function)));
  }

  @Override
  public IntCacheStream flatMap(IntFunctions.ToObject<? extends IntStream> function) {
    return new RecordedIntStream(
        pipeline().stage(Stage.Kind.INT_FLAT_MAP, "flatMap", Objects.requireNonNull(function)));
  }

  @Override
  public IntCacheStream flatMap(IntFunction<? extends IntStream> function) {
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).flatMap(function)));
  }

  @Override
  public IntCacheStream mapMulti(IntFunctions.MapMulti function) {
    return new RecordedIntStream(
        pipeline().stage(Stage.Kind.INT_MAP_MULTI, "mapMulti", Objects.requireNonNull(function)));
  }

  @Override
  public IntCacheStream mapMulti(IntMapMultiConsumer function) {
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).mapMulti(function)));
  }

  @Override
  public IntCacheStream peek(IntFunctions.Consumer function) {
    return new RecordedIntStream(
        pipeline().stage(Stage.Kind.INT_PEEK, "peek", Objects.requireNonNull(function)));
  }

  @Override
  public IntCacheStream peek(IntConsumer function) {
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).peek(function)));
  }

  @Override
  public CacheStream<Integer> boxed() {
    return new RecordedStream<>(pipeline().stage(Stage.Kind.INT_BOXED, "boxed", null));
  }

  @Override
  public LongCacheStream asLongStream() {
    return new RecordedLongStream(pipeline().stage(Stage.Kind.INT_AS_LONG, "asLongStream", null));
  }

  @Override
  public DoubleCacheStream asDoubleStream() {
    return new RecordedDoubleStream(
        pipeline().stage(Stage.Kind.INT_AS_DOUBLE, "asDoubleStream", null));
  }

  // ------------------------------------------------------------------ stages here

  @Override
  public IntCacheStream distinct() {
    return new RecordedIntStream(pipeline().here(Shape.INT, new Here.Distinct()));
  }

  @Override
  public IntCacheStream sorted() {
    return new RecordedIntStream(pipeline().sorted());
  }

  @Override
  public IntCacheStream limit(long maxSize) {
    return new RecordedIntStream(pipeline().here(Shape.INT, Here.limited(maxSize)));
  }

  @Override
  public IntCacheStream skip(long n) {
    return new RecordedIntStream(pipeline().here(Shape.INT, Here.skipping(n)));
  }

  @Override
  public IntCacheStream takeWhile(IntPredicate predicate) {
    Objects.requireNonNull(predicate);
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).takeWhile(predicate)));
  }

  @Override
  public IntCacheStream dropWhile(IntPredicate predicate) {
    Objects.requireNonNull(predicate);
    return new RecordedIntStream(
        pipeline().here(Shape.INT, stream -> ((IntStream) stream).dropWhile(predicate)));
  }

  // ------------------------------------------------------------------ ends

  private <R> R here(IntEnd<R> terminal) {
    return this.<IntStream, R>end(terminal::of);
  }

  private interface IntEnd<R> {
    R of(IntStream stream);
  }

  private void each(Consumer<IntStream> terminal) {
    this.<IntStream>endEach(terminal);
  }

  @Override
  public long count() {
    return recorded() ? owners().count() : here(IntStream::count);
  }

  @Override
  public IntSummaryStatistics summaryStatistics() {
    if (!recorded()) {
      return here(IntStream::summaryStatistics);
    }
    IntSummaryStatistics all = new IntSummaryStatistics();
    owners().summaries(in -> all.combine(Summaries.readInts(in)));
    return all;
  }

  @Override
  public int sum() {
    return (int) summaryStatistics().getSum();
  }

  @Override
  public OptionalDouble average() {
    IntSummaryStatistics all = summaryStatistics();
    return all.getCount() == 0 ? OptionalDouble.empty() : OptionalDouble.of(all.getAverage());
  }

  @Override
  public OptionalInt min() {
    IntSummaryStatistics all = summaryStatistics();
    return all.getCount() == 0 ? OptionalInt.empty() : OptionalInt.of(all.getMin());
  }

  @Override
  public OptionalInt max() {
    IntSummaryStatistics all = summaryStatistics();
    return all.getCount() == 0 ? OptionalInt.empty() : OptionalInt.of(all.getMax());
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      IntFunctions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return recorded()
        ? owners().collect(supplier, accumulator, combiner)
        : collect((Supplier<R>) supplier, accumulator, combiner);
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, ObjIntConsumer<R> accumulator, BiConsumer<R, R> combiner) {
    return here(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public int reduce(int identity, IntFunctions.BinaryOperator op) {
    return recorded()
        ? owners()
            .<Integer>reduce(Terminal.Kind.REDUCE, "reduce", op, op::applyAsInt, List.of(identity))
            .getFirst()
        : reduce(identity, (IntBinaryOperator) op);
  }

  @Override
  public int reduce(int identity, IntBinaryOperator op) {
    return here(stream -> stream.reduce(identity, op));
  }

  @Override
  public OptionalInt reduce(IntFunctions.BinaryOperator op) {
    return recorded()
        ? optional(
            owners().<Integer>reduce(Terminal.Kind.REDUCE, "reduce", op, op::applyAsInt, List.of()))
        : reduce((IntBinaryOperator) op);
  }

  @Override
  public OptionalInt reduce(IntBinaryOperator op) {
    return here(stream -> stream.reduce(op));
  }

  private static OptionalInt optional(List<Integer> found) {
    return found.isEmpty() ? OptionalInt.empty() : OptionalInt.of(found.getFirst());
  }

  @Override
  public boolean anyMatch(IntFunctions.Predicate predicate) {
    return recorded()
        ? owners().anyMatch("anyMatch", predicate)
        : anyMatch((IntPredicate) predicate);
  }

  @Override
  public boolean anyMatch(IntPredicate predicate) {
    return here(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch(IntFunctions.Predicate predicate) {
    return recorded() ? owners().allMatch(predicate) : allMatch((IntPredicate) predicate);
  }

  @Override
  public boolean allMatch(IntPredicate predicate) {
    return here(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch(IntFunctions.Predicate predicate) {
    return recorded()
        ? !owners().anyMatch("noneMatch", predicate)
        : noneMatch((IntPredicate) predicate);
  }

  @Override
  public boolean noneMatch(IntPredicate predicate) {
    return here(stream -> stream.noneMatch(predicate));
  }

  /** Any element, after {@code sorted} the first. */
  @Override
  public OptionalInt findFirst() {
    // Of what is sorted the owners each pick their first one.
    return recorded()
        ? findAny()
        : new RecordedIntStream(pipeline().here(Shape.INT, Here.limited(1)))
            .here(IntStream::findFirst);
  }

  @Override
  public OptionalInt findAny() {
    return recorded()
        ? optional(owners().<Integer>findAny())
        : new RecordedIntStream(pipeline().here(Shape.INT, Here.limited(1)))
            .here(IntStream::findAny);
  }

  @Override
  public void forEach(IntFunctions.Consumer action) {
    if (recorded()) {
      owners().forEach(action);
    } else {
      forEach((IntConsumer) action);
    }
  }

  @Override
  public void forEach(IntConsumer action) {
    each(stream -> stream.forEach(action));
  }

  @Override
  @SuppressWarnings("unchecked")
  public <K, V> void forEach(IntFunctions.Accumulator<Cache<K, V>> action) {
    if (recorded()) {
      owners().forEachIn(action);
    } else {
      Cache<K, V> cache = (Cache<K, V>) pipeline().origin().cache();
      forEach((IntConsumer) element -> action.accept(cache, element));
    }
  }

  @Override
  public void forEachOrdered(IntConsumer action) {
    each(stream -> stream.forEachOrdered(action));
  }

  @Override
  public int[] toArray() {
    return here(IntStream::toArray);
  }

  @Override
  public PrimitiveIterator.OfInt iterator() {
    return ((IntStream) here()).iterator();
  }

  @Override
  public Spliterator.OfInt spliterator() {
    return ((IntStream) here()).spliterator();
  }
}
