package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.LongSummaryStatistics;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleConsumer;
import java.util.function.DoublePredicate;
import java.util.function.IntBinaryOperator;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.ObjDoubleConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The kind of a stream's elements, with everything that depends on it. An operation that takes a
 * function is written once, for objects; this type adapts the functions and streams of primitives
 * to boxed elements. An operation that need not see single elements is done without boxes.
 *
 * <p><b>Threading:</b> immutable.
 */
@SuppressWarnings("unchecked")
enum ElementKind {
  OBJECT,
  INT,
  LONG,
  DOUBLE;

  /** The kind of a JDK stream's elements. */
  static ElementKind of(BaseStream<?, ?> stream) {
    return switch (stream) {
      case IntStream _ -> INT;
      case LongStream _ -> LONG;
      case DoubleStream _ -> DOUBLE;
      default -> OBJECT;
    };
  }

  // ------------------------------------------------------------------ streams

  /** Boxes a stream of this kind. */
  Stream<Object> boxed(BaseStream<?, ?> stream) {
    return (Stream<Object>)
        switch (this) {
          case OBJECT -> stream;
          case INT -> ((IntStream) stream).boxed();
          case LONG -> ((LongStream) stream).boxed();
          case DOUBLE -> ((DoubleStream) stream).boxed();
        };
  }

  /** Unboxes a stream of objects, which must all be of this kind. */
  BaseStream<?, ?> unboxed(Stream<Object> stream) {
    return switch (this) {
      case OBJECT -> stream;
      case INT -> stream.mapToInt(element -> (Integer) element);
      case LONG -> stream.mapToLong(element -> (Long) element);
      case DOUBLE -> stream.mapToDouble(element -> (Double) element);
    };
  }

  /** Limits a stream to at most this many elements. */
  BaseStream<?, ?> limit(BaseStream<?, ?> stream, long count) {
    return switch (this) {
      case OBJECT -> ((Stream<?>) stream).limit(count);
      case INT -> ((IntStream) stream).limit(count);
      case LONG -> ((LongStream) stream).limit(count);
      case DOUBLE -> ((DoubleStream) stream).limit(count);
    };
  }

  /** Skips this many elements of a stream. */
  BaseStream<?, ?> skip(BaseStream<?, ?> stream, long count) {
    return switch (this) {
      case OBJECT -> ((Stream<?>) stream).skip(count);
      case INT -> ((IntStream) stream).skip(count);
      case LONG -> ((LongStream) stream).skip(count);
      case DOUBLE -> ((DoubleStream) stream).skip(count);
    };
  }

  /** Removes duplicates from a stream. The JDK boxes elements for that too. */
  BaseStream<?, ?> distinct(BaseStream<?, ?> stream) {
    return unboxed(boxed(stream).distinct());
  }

  /** Counts the elements of a stream. */
  long count(BaseStream<?, ?> elements) {
    return switch (this) {
      case OBJECT -> ((Stream<?>) elements).count();
      case INT -> ((IntStream) elements).count();
      case LONG -> ((LongStream) elements).count();
      case DOUBLE -> ((DoubleStream) elements).count();
    };
  }

  // ------------------------------------------------------------------ functions

  // A function of another type is refused here already, before its first element.

  /** Adapts a predicate of this kind to boxed elements. */
  Predicate<Object> predicate(Object function) {
    return (Predicate<Object>)
        switch (this) {
          case OBJECT -> (Predicate<?>) function;
          case INT -> (Predicate<Integer>) ((IntPredicate) function)::test;
          case LONG -> (Predicate<Long>) ((LongPredicate) function)::test;
          case DOUBLE -> (Predicate<Double>) ((DoublePredicate) function)::test;
        };
  }

  /** Adapts a consumer of this kind to boxed elements. */
  Consumer<Object> consumer(Object function) {
    return (Consumer<Object>)
        switch (this) {
          case OBJECT -> (Consumer<?>) function;
          case INT -> (Consumer<Integer>) ((IntConsumer) function)::accept;
          case LONG -> (Consumer<Long>) ((LongConsumer) function)::accept;
          case DOUBLE -> (Consumer<Double>) ((DoubleConsumer) function)::accept;
        };
  }

  /** Adapts a binary operator of this kind to boxed elements. */
  BinaryOperator<Object> binaryOperator(Object function) {
    return (BinaryOperator<Object>)
        switch (this) {
          case OBJECT -> (BinaryOperator<?>) function;
          case INT -> (BinaryOperator<Integer>) ((IntBinaryOperator) function)::applyAsInt;
          case LONG -> (BinaryOperator<Long>) ((LongBinaryOperator) function)::applyAsLong;
          case DOUBLE -> (BinaryOperator<Double>) ((DoubleBinaryOperator) function)::applyAsDouble;
        };
  }

  /** Adapts an accumulator for elements of this kind to boxed elements. */
  BiConsumer<Object, Object> accumulator(Object function) {
    return (BiConsumer<Object, Object>)
        switch (this) {
          case OBJECT -> (BiConsumer<?, ?>) function;
          case INT -> (BiConsumer<Object, Integer>) ((ObjIntConsumer<Object>) function)::accept;
          case LONG -> (BiConsumer<Object, Long>) ((ObjLongConsumer<Object>) function)::accept;
          case DOUBLE ->
              (BiConsumer<Object, Double>) ((ObjDoubleConsumer<Object>) function)::accept;
        };
  }

  // ------------------------------------------------------------------ summaries

  /** Writes a summary of numbers, from which sum, average, minimum and maximum are computed. */
  void writeSummary(BaseStream<?, ?> elements, Output out) {
    switch (this) {
      case OBJECT -> throw new IllegalArgumentException("only numbers have a summary");
      case INT -> {
        IntSummaryStatistics ints = ((IntStream) elements).summaryStatistics();
        out.writeVarint(ints.getCount());
        out.writeInt(ints.getMin());
        out.writeInt(ints.getMax());
        out.writeLong(ints.getSum());
      }
      case LONG -> {
        LongSummaryStatistics longs = ((LongStream) elements).summaryStatistics();
        out.writeVarint(longs.getCount());
        out.writeLong(longs.getMin());
        out.writeLong(longs.getMax());
        out.writeLong(longs.getSum());
      }
      case DOUBLE -> {
        DoubleSummaryStatistics doubles = ((DoubleStream) elements).summaryStatistics();
        out.writeVarint(doubles.getCount());
        out.writeLong(Double.doubleToRawLongBits(doubles.getMin()));
        out.writeLong(Double.doubleToRawLongBits(doubles.getMax()));
        out.writeLong(Double.doubleToRawLongBits(doubles.getSum()));
      }
    }
  }

  /** Reads a summary of {@code int} numbers. */
  static IntSummaryStatistics readIntSummary(Input in) {
    long count = in.readVarint();
    return new IntSummaryStatistics(count, in.readInt(), in.readInt(), in.readLong());
  }

  /** Reads a summary of {@code long} numbers. */
  static LongSummaryStatistics readLongSummary(Input in) {
    long count = in.readVarint();
    return new LongSummaryStatistics(count, in.readLong(), in.readLong(), in.readLong());
  }

  /** Reads a summary of {@code double} numbers. */
  static DoubleSummaryStatistics readDoubleSummary(Input in) {
    long count = in.readVarint();
    double min = Double.longBitsToDouble(in.readLong());
    double max = Double.longBitsToDouble(in.readLong());
    double sum = Double.longBitsToDouble(in.readLong());
    if (!Double.isNaN(sum) || Double.isNaN(min)) {
      return new DoubleSummaryStatistics(count, min, max, sum);
    }
    // Infinities of both signs were added, or sums grew to them. The constructor rejects such a
    // sum, so two summaries are combined.
    DoubleSummaryStatistics both =
        new DoubleSummaryStatistics(count - 1, min, max, Double.POSITIVE_INFINITY);
    both.combine(new DoubleSummaryStatistics(1, min, max, Double.NEGATIVE_INFINITY));
    return both;
  }
}
