package io.cantle.core.stream;

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

/**
 * The functions that end a stream of primitives as such on their boxes: an end that takes a
 * function is written once, for objects.
 *
 * <p><b>Threading:</b> any thread.
 */
@SuppressWarnings("unchecked")
final class Boxing {
  private Boxing() {}

  static Predicate<Object> predicate(Shape shape, Object function) {
    return switch (shape) {
      case OBJECT -> (Predicate<Object>) function;
      case INT -> {
        IntPredicate ints = (IntPredicate) function;
        yield element -> ints.test((Integer) element);
      }
      case LONG -> {
        LongPredicate longs = (LongPredicate) function;
        yield element -> longs.test((Long) element);
      }
      case DOUBLE -> {
        DoublePredicate doubles = (DoublePredicate) function;
        yield element -> doubles.test((Double) element);
      }
    };
  }

  static Consumer<Object> consumer(Shape shape, Object function) {
    return switch (shape) {
      case OBJECT -> (Consumer<Object>) function;
      case INT -> {
        IntConsumer ints = (IntConsumer) function;
        yield element -> ints.accept((Integer) element);
      }
      case LONG -> {
        LongConsumer longs = (LongConsumer) function;
        yield element -> longs.accept((Long) element);
      }
      case DOUBLE -> {
        DoubleConsumer doubles = (DoubleConsumer) function;
        yield element -> doubles.accept((Double) element);
      }
    };
  }

  static BinaryOperator<Object> binary(Shape shape, Object function) {
    return switch (shape) {
      case OBJECT -> (BinaryOperator<Object>) function;
      case INT -> {
        IntBinaryOperator ints = (IntBinaryOperator) function;
        yield (left, right) -> ints.applyAsInt((Integer) left, (Integer) right);
      }
      case LONG -> {
        LongBinaryOperator longs = (LongBinaryOperator) function;
        yield (left, right) -> longs.applyAsLong((Long) left, (Long) right);
      }
      case DOUBLE -> {
        DoubleBinaryOperator doubles = (DoubleBinaryOperator) function;
        yield (left, right) -> doubles.applyAsDouble((Double) left, (Double) right);
      }
    };
  }

  /** A function of something and an element. */
  static BiConsumer<Object, Object> accumulator(Shape shape, Object function) {
    return switch (shape) {
      case OBJECT -> (BiConsumer<Object, Object>) function;
      case INT -> {
        ObjIntConsumer<Object> ints = (ObjIntConsumer<Object>) function;
        yield (container, element) -> ints.accept(container, (Integer) element);
      }
      case LONG -> {
        ObjLongConsumer<Object> longs = (ObjLongConsumer<Object>) function;
        yield (container, element) -> longs.accept(container, (Long) element);
      }
      case DOUBLE -> {
        ObjDoubleConsumer<Object> doubles = (ObjDoubleConsumer<Object>) function;
        yield (container, element) -> doubles.accept(container, (Double) element);
      }
    };
  }
}
