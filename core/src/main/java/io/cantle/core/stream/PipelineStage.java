package io.cantle.core.stream;

import static io.cantle.core.stream.ElementKind.DOUBLE;
import static io.cantle.core.stream.ElementKind.INT;
import static io.cantle.core.stream.ElementKind.LONG;
import static io.cantle.core.stream.ElementKind.OBJECT;

import io.cantle.core.base.MalformedException;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.DoubleToIntFunction;
import java.util.function.DoubleToLongFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One stage of a recorded pipeline, which can be appended to a JDK stream.
 *
 * <p><b>Threading:</b> immutable; the function is the user's and runs where the stream does.
 *
 * @param kind the kind of the stage
 * @param function the user's function, or null for a kind that takes none
 */
record PipelineStage(StageKind kind, @Nullable Object function) {

  /** The stages that owners run. The code on the wire is the position in this list. */
  // The compiler checked the type of a function where it was given. A function of another type that
  // came over the wire causes a ClassCastException at its first use here.
  @SuppressWarnings({"unchecked", "ImmutableEnumChecker"})
  enum StageKind {
    FILTER(OBJECT, OBJECT, (s, f) -> objects(s).filter((Predicate<Object>) f)),
    MAP(OBJECT, OBJECT, (s, f) -> objects(s).map((Function<Object, Object>) f)),
    MAP_TO_INT(OBJECT, INT, (s, f) -> objects(s).mapToInt((ToIntFunction<Object>) f)),
    MAP_TO_LONG(OBJECT, LONG, (s, f) -> objects(s).mapToLong((ToLongFunction<Object>) f)),
    MAP_TO_DOUBLE(OBJECT, DOUBLE, (s, f) -> objects(s).mapToDouble((ToDoubleFunction<Object>) f)),
    FLAT_MAP(OBJECT, OBJECT, (s, f) -> objects(s).flatMap((Function<Object, Stream<Object>>) f)),
    FLAT_MAP_TO_INT(
        OBJECT, INT, (s, f) -> objects(s).flatMapToInt((Function<Object, IntStream>) f)),
    FLAT_MAP_TO_LONG(
        OBJECT, LONG, (s, f) -> objects(s).flatMapToLong((Function<Object, LongStream>) f)),
    FLAT_MAP_TO_DOUBLE(
        OBJECT, DOUBLE, (s, f) -> objects(s).flatMapToDouble((Function<Object, DoubleStream>) f)),
    MAP_MULTI(
        OBJECT, OBJECT, (s, f) -> objects(s).mapMulti((BiConsumer<Object, Consumer<Object>>) f)),
    MAP_MULTI_TO_INT(
        OBJECT, INT, (s, f) -> objects(s).mapMultiToInt((BiConsumer<Object, IntConsumer>) f)),
    MAP_MULTI_TO_LONG(
        OBJECT, LONG, (s, f) -> objects(s).mapMultiToLong((BiConsumer<Object, LongConsumer>) f)),
    MAP_MULTI_TO_DOUBLE(
        OBJECT,
        DOUBLE,
        (s, f) -> objects(s).mapMultiToDouble((BiConsumer<Object, DoubleConsumer>) f)),
    PEEK(OBJECT, OBJECT, (s, f) -> objects(s).peek((Consumer<Object>) f)),
    INT_FILTER(INT, INT, (s, f) -> ints(s).filter((IntPredicate) f)),
    INT_MAP(INT, INT, (s, f) -> ints(s).map((IntUnaryOperator) f)),
    INT_MAP_TO_OBJECT(INT, OBJECT, (s, f) -> ints(s).mapToObj((IntFunction<Object>) f)),
    INT_MAP_TO_LONG(INT, LONG, (s, f) -> ints(s).mapToLong((IntToLongFunction) f)),
    INT_MAP_TO_DOUBLE(INT, DOUBLE, (s, f) -> ints(s).mapToDouble((IntToDoubleFunction) f)),
    INT_FLAT_MAP(INT, INT, (s, f) -> ints(s).flatMap((IntFunction<IntStream>) f)),
    INT_MAP_MULTI(INT, INT, (s, f) -> ints(s).mapMulti((IntStream.IntMapMultiConsumer) f)),
    INT_PEEK(INT, INT, (s, f) -> ints(s).peek((IntConsumer) f)),
    INT_BOXED(INT, OBJECT, (s, _) -> ints(s).boxed()),
    INT_AS_LONG(INT, LONG, (s, _) -> ints(s).asLongStream()),
    INT_AS_DOUBLE(INT, DOUBLE, (s, _) -> ints(s).asDoubleStream()),
    LONG_FILTER(LONG, LONG, (s, f) -> longs(s).filter((LongPredicate) f)),
    LONG_MAP(LONG, LONG, (s, f) -> longs(s).map((LongUnaryOperator) f)),
    LONG_MAP_TO_OBJECT(LONG, OBJECT, (s, f) -> longs(s).mapToObj((LongFunction<Object>) f)),
    LONG_MAP_TO_INT(LONG, INT, (s, f) -> longs(s).mapToInt((LongToIntFunction) f)),
    LONG_MAP_TO_DOUBLE(LONG, DOUBLE, (s, f) -> longs(s).mapToDouble((LongToDoubleFunction) f)),
    LONG_FLAT_MAP(LONG, LONG, (s, f) -> longs(s).flatMap((LongFunction<LongStream>) f)),
    LONG_MAP_MULTI(LONG, LONG, (s, f) -> longs(s).mapMulti((LongStream.LongMapMultiConsumer) f)),
    LONG_PEEK(LONG, LONG, (s, f) -> longs(s).peek((LongConsumer) f)),
    LONG_BOXED(LONG, OBJECT, (s, _) -> longs(s).boxed()),
    LONG_AS_DOUBLE(LONG, DOUBLE, (s, _) -> longs(s).asDoubleStream()),
    DOUBLE_FILTER(DOUBLE, DOUBLE, (s, f) -> doubles(s).filter((DoublePredicate) f)),
    DOUBLE_MAP(DOUBLE, DOUBLE, (s, f) -> doubles(s).map((DoubleUnaryOperator) f)),
    DOUBLE_MAP_TO_OBJECT(DOUBLE, OBJECT, (s, f) -> doubles(s).mapToObj((DoubleFunction<Object>) f)),
    DOUBLE_MAP_TO_INT(DOUBLE, INT, (s, f) -> doubles(s).mapToInt((DoubleToIntFunction) f)),
    DOUBLE_MAP_TO_LONG(DOUBLE, LONG, (s, f) -> doubles(s).mapToLong((DoubleToLongFunction) f)),
    DOUBLE_FLAT_MAP(DOUBLE, DOUBLE, (s, f) -> doubles(s).flatMap((DoubleFunction<DoubleStream>) f)),
    DOUBLE_MAP_MULTI(
        DOUBLE, DOUBLE, (s, f) -> doubles(s).mapMulti((DoubleStream.DoubleMapMultiConsumer) f)),
    DOUBLE_PEEK(DOUBLE, DOUBLE, (s, f) -> doubles(s).peek((DoubleConsumer) f)),
    DOUBLE_BOXED(DOUBLE, OBJECT, (s, _) -> doubles(s).boxed());

    private final ElementKind inputKind;
    private final ElementKind outputKind;
    private final StageFunction replay;

    StageKind(ElementKind inputKind, ElementKind outputKind, StageFunction replay) {
      this.inputKind = inputKind;
      this.outputKind = outputKind;
      this.replay = replay;
    }

    /** The kind of the elements before the stage. */
    ElementKind inputKind() {
      return inputKind;
    }

    /** The kind of the elements after the stage. */
    ElementKind outputKind() {
      return outputKind;
    }

    /** Whether the stage takes a function. */
    boolean takesFunction() {
      return switch (this) {
        case INT_BOXED, LONG_BOXED, DOUBLE_BOXED, INT_AS_LONG, INT_AS_DOUBLE, LONG_AS_DOUBLE ->
            false;
        default -> true;
      };
    }

    /** Whether every element that comes out also went in. */
    boolean keepsElements() {
      return this == FILTER || this == PEEK;
    }

    /** Whether one element comes out for each that went in, in the same order. */
    boolean keepsCount() {
      return switch (this) {
        case FILTER, INT_FILTER, LONG_FILTER, DOUBLE_FILTER -> false;
        case FLAT_MAP, FLAT_MAP_TO_INT, FLAT_MAP_TO_LONG, FLAT_MAP_TO_DOUBLE -> false;
        case MAP_MULTI, MAP_MULTI_TO_INT, MAP_MULTI_TO_LONG, MAP_MULTI_TO_DOUBLE -> false;
        case INT_FLAT_MAP, LONG_FLAT_MAP, DOUBLE_FLAT_MAP -> false;
        case INT_MAP_MULTI, LONG_MAP_MULTI, DOUBLE_MAP_MULTI -> false;
        default -> true;
      };
    }

    private static Stream<Object> objects(BaseStream<?, ?> stream) {
      return (Stream<Object>) stream;
    }

    private static IntStream ints(BaseStream<?, ?> stream) {
      return (IntStream) stream;
    }

    private static LongStream longs(BaseStream<?, ?> stream) {
      return (LongStream) stream;
    }

    private static DoubleStream doubles(BaseStream<?, ?> stream) {
      return (DoubleStream) stream;
    }
  }

  /** Requires a function where the kind takes one. */
  PipelineStage {
    if (kind.takesFunction()) {
      Objects.requireNonNull(function, "function");
    }
  }

  private interface StageFunction {
    BaseStream<?, ?> apply(BaseStream<?, ?> stream, Object function);
  }

  /** Appends the stage to a stream. */
  // The null is harmless: a kind that takes no function ignores the argument.
  @SuppressWarnings("NullAway")
  BaseStream<?, ?> appendTo(BaseStream<?, ?> stream) {
    return kind.replay.apply(stream, function);
  }

  /** Appends stages to a stream of objects. */
  static BaseStream<?, ?> appendAll(List<PipelineStage> stages, Stream<Object> source) {
    BaseStream<?, ?> stream = source;
    for (PipelineStage stage : stages) {
      stream = stage.appendTo(stream);
    }
    return stream;
  }

  /**
   * The kind of the elements after these stages.
   *
   * @throws MalformedException if a stage does not fit the one before
   */
  static ElementKind outputKindOf(List<PipelineStage> stages) {
    ElementKind elementKind = OBJECT;
    for (PipelineStage stage : stages) {
      if (stage.kind.inputKind != elementKind) {
        throw new MalformedException(
            stage.kind + " cannot follow a stage that makes " + elementKind);
      }
      elementKind = stage.kind.outputKind;
    }
    return elementKind;
  }
}
