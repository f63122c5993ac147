package io.cantle.core.stream;

import io.cantle.$Second$CacheStream;
import io.cantle.$Third$CacheStream;
import io.cantle.$Type$CacheStream;
import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.core.stream.PipelineStage.StageKind;
import io.cantle.function.$Type$Functions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableSupplier;
import java.util.$Type$SummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.Optional$Type$;
import java.util.OptionalDouble;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.function.$Type$BinaryOperator;
import java.util.function.$Type$Consumer;
import java.util.function.$Type$Function;
import java.util.function.$Type$Predicate;
import java.util.function.$Type$To$Second$Function;
import java.util.function.$Type$To$Third$Function;
import java.util.function.$Type$UnaryOperator;
import java.util.function.BiConsumer;
import java.util.function.Obj$Type$Consumer;
import java.util.function.Supplier;
import java.util.stream.$Type$Stream;

/**
 * A stream of {@code $type$} elements that is recorded and run by the owners. The streams of the
 * three primitive types are written once, as a template from which the build makes three classes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Recorded$Type$Stream extends PipelineStream<$Box$, $Type$Stream, $Type$CacheStream>
    implements $Type$CacheStream {
  Recorded$Type$Stream(Pipeline pipeline) {
    super(pipeline);
  }

  @Override
  $Type$CacheStream with(Pipeline other) {
    return new Recorded$Type$Stream(other);
  }

  // ------------------------------------------------------------------ stages

  @Override
  public $Type$CacheStream filter($Type$Functions.Predicate function) {
    return with(pipeline().withStage(StageKind.$TYPE$_FILTER, "filter", function));
  }

  @Override
  public $Type$CacheStream filter($Type$Predicate function) {
    return with(pipeline().withLocalStage(StageKind.$TYPE$_FILTER, function));
  }

  @Override
  public $Type$CacheStream map($Type$Functions.UnaryOperator function) {
    return with(pipeline().withStage(StageKind.$TYPE$_MAP, "map", function));
  }

  @Override
  public $Type$CacheStream map($Type$UnaryOperator function) {
    return with(pipeline().withLocalStage(StageKind.$TYPE$_MAP, function));
  }

  @Override
  public <R> CacheStream<R> mapToObj($Type$Functions.ToObject<? extends R> function) {
    return new RecordedStream<>(
        pipeline().withStage(StageKind.$TYPE$_MAP_TO_OBJECT, "mapToObj", function));
  }

  @Override
  public <R> CacheStream<R> mapToObj($Type$Function<? extends R> function) {
    return new RecordedStream<>(
        pipeline().withLocalStage(StageKind.$TYPE$_MAP_TO_OBJECT, function));
  }

  @Override
  public $Second$CacheStream mapTo$Second$($Type$Functions.To$Second$ function) {
    return new Recorded$Second$Stream(
        pipeline().withStage(StageKind.$TYPE$_MAP_TO_$SECOND$, "mapTo$Second$", function));
  }

  @Override
  public $Second$CacheStream mapTo$Second$($Type$To$Second$Function function) {
    return new Recorded$Second$Stream(
        pipeline().withLocalStage(StageKind.$TYPE$_MAP_TO_$SECOND$, function));
  }

  @Override
  public $Third$CacheStream mapTo$Third$($Type$Functions.To$Third$ function) {
    return new Recorded$Third$Stream(
        pipeline().withStage(StageKind.$TYPE$_MAP_TO_$THIRD$, "mapTo$Third$", function));
  }

  @Override
  public $Third$CacheStream mapTo$Third$($Type$To$Third$Function function) {
    return new Recorded$Third$Stream(
        pipeline().withLocalStage(StageKind.$TYPE$_MAP_TO_$THIRD$, function));
  }

  @Override
  public $Type$CacheStream flatMap($Type$Functions.ToObject<? extends $Type$Stream> function) {
    return with(pipeline().withStage(StageKind.$TYPE$_FLAT_MAP, "flatMap", function));
  }

  @Override
  public $Type$CacheStream flatMap($Type$Function<? extends $Type$Stream> function) {
    return with(pipeline().withLocalStage(StageKind.$TYPE$_FLAT_MAP, function));
  }

  @Override
  public $Type$CacheStream mapMulti($Type$Functions.MapMulti function) {
    return with(pipeline().withStage(StageKind.$TYPE$_MAP_MULTI, "mapMulti", function));
  }

  @Override
  public $Type$CacheStream mapMulti($Type$MapMultiConsumer function) {
    return with(pipeline().withLocalStage(StageKind.$TYPE$_MAP_MULTI, function));
  }

  @Override
  public $Type$CacheStream peek($Type$Functions.Consumer function) {
    return with(pipeline().withStage(StageKind.$TYPE$_PEEK, "peek", function));
  }

  @Override
  public $Type$CacheStream peek($Type$Consumer function) {
    return with(pipeline().withLocalStage(StageKind.$TYPE$_PEEK, function));
  }

  // What the elements can be widened to: $WideningMethods$

  @Override
  public CacheStream<$Box$> boxed() {
    return new RecordedStream<>(pipeline().withStage(StageKind.$TYPE$_BOXED, "boxed", null));
  }

  @Override
  public $Type$CacheStream takeWhile($Type$Predicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.takeWhile(predicate));
  }

  @Override
  public $Type$CacheStream dropWhile($Type$Predicate predicate) {
    Objects.requireNonNull(predicate);
    return withLocalStage(stream -> stream.dropWhile(predicate));
  }

  // ------------------------------------------------------------------ terminal operations

  @Override
  public $Type$SummaryStatistics summaryStatistics() {
    if (!isRecorded()) {
      return runLocally($Type$Stream::summaryStatistics);
    }
    $Type$SummaryStatistics summary = new $Type$SummaryStatistics();
    onOwners().collectSummaries(in -> summary.combine(ElementKind.read$Type$Summary(in)));
    return summary;
  }

  @Override
  @SuppressWarnings("cast") // Only a sum of ints has another type in its summary.
  public $type$ sum() {
    return ($type$) summaryStatistics().getSum();
  }

  @Override
  public OptionalDouble average() {
    $Type$SummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(summary.getAverage());
  }

  @Override
  public Optional$Type$ min() {
    $Type$SummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? Optional$Type$.empty() : Optional$Type$.of(summary.getMin());
  }

  @Override
  public Optional$Type$ max() {
    $Type$SummaryStatistics summary = summaryStatistics();
    return summary.getCount() == 0 ? Optional$Type$.empty() : Optional$Type$.of(summary.getMax());
  }

  @Override
  public <R> R collect(
      SerializableSupplier<R> supplier,
      $Type$Functions.Accumulator<R> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    return isRecorded()
        ? onOwners().collect(supplier, accumulator, combiner)
        : collect((Supplier<R>) supplier, accumulator, combiner);
  }

  @Override
  public <R> R collect(
      Supplier<R> supplier, Obj$Type$Consumer<R> accumulator, BiConsumer<R, R> combiner) {
    return runLocally(stream -> stream.collect(supplier, accumulator, combiner));
  }

  @Override
  public $type$ reduce($type$ identity, $Type$Functions.BinaryOperator op) {
    return isRecorded()
        ? onOwners().<$Box$>reduce(op, List.of(identity)).getFirst()
        : reduce(identity, ($Type$BinaryOperator) op);
  }

  @Override
  public $type$ reduce($type$ identity, $Type$BinaryOperator op) {
    return runLocally(stream -> stream.reduce(identity, op));
  }

  @Override
  public Optional$Type$ reduce($Type$Functions.BinaryOperator op) {
    return isRecorded()
        ? optional(onOwners().<$Box$>reduce(op, List.of()))
        : reduce(($Type$BinaryOperator) op);
  }

  @Override
  public Optional$Type$ reduce($Type$BinaryOperator op) {
    return runLocally(stream -> stream.reduce(op));
  }

  private static Optional$Type$ optional(List<$Box$> found) {
    return found.isEmpty() ? Optional$Type$.empty() : Optional$Type$.of(found.getFirst());
  }

  @Override
  public boolean anyMatch($Type$Functions.Predicate predicate) {
    return isRecorded()
        ? onOwners().anyMatch("anyMatch", predicate)
        : anyMatch(($Type$Predicate) predicate);
  }

  @Override
  public boolean anyMatch($Type$Predicate predicate) {
    return runLocally(stream -> stream.anyMatch(predicate));
  }

  @Override
  public boolean allMatch($Type$Functions.Predicate predicate) {
    return isRecorded() ? onOwners().allMatch(predicate) : allMatch(($Type$Predicate) predicate);
  }

  @Override
  public boolean allMatch($Type$Predicate predicate) {
    return runLocally(stream -> stream.allMatch(predicate));
  }

  @Override
  public boolean noneMatch($Type$Functions.Predicate predicate) {
    return isRecorded()
        ? !onOwners().anyMatch("noneMatch", predicate)
        : noneMatch(($Type$Predicate) predicate);
  }

  @Override
  public boolean noneMatch($Type$Predicate predicate) {
    return runLocally(stream -> stream.noneMatch(predicate));
  }

  /** Returns any element; after {@code sorted}, the first. */
  @Override
  public Optional$Type$ findFirst() {
    // After a sort only one element is needed, so each owner sends just its first one.
    return isRecorded()
        ? optional(onOwners().<$Box$>findAny())
        : runOnFirstLocally($Type$Stream::findFirst);
  }

  /** Same as {@link #findFirst}, which may return any element. */
  @Override
  public Optional$Type$ findAny() {
    return findFirst();
  }

  @Override
  public void forEach($Type$Consumer action) {
    consumeLocally(stream -> stream.forEach(action));
  }

  @Override
  public void forEachOnOwners($Type$Functions.Consumer action) {
    if (isRecorded()) {
      onOwners().forEach(action);
    } else {
      forEach(action);
    }
  }

  @Override
  public <K, V> void forEachWithCache($Type$Functions.Accumulator<Cache<K, V>> action) {
    Objects.requireNonNull(action);
    if (isRecorded()) {
      onOwners().forEachWithCache(action);
    } else {
      Cache<K, V> cache = cache();
      forEach(element -> action.accept(cache, element));
    }
  }

  @Override
  public void forEachOrdered($Type$Consumer action) {
    consumeLocally(stream -> stream.forEachOrdered(action));
  }

  @Override
  public $type$[] toArray() {
    return runLocally($Type$Stream::toArray);
  }

  @Override
  public PrimitiveIterator.Of$Type$ iterator() {
    return openLocally().iterator();
  }

  @Override
  public Spliterator.Of$Type$ spliterator() {
    return openLocally().spliterator();
  }
}
