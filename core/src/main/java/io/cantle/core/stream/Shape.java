package io.cantle.core.stream;

import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What the elements of a stream are.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Shape {
  OBJECT,
  INT,
  LONG,
  DOUBLE;

  /** A stream of this shape as one of objects. */
  @SuppressWarnings("unchecked")
  Stream<Object> boxed(BaseStream<?, ?> stream) {
    return (Stream<Object>)
        switch (this) {
          case OBJECT -> stream;
          case INT -> ((IntStream) stream).boxed();
          case LONG -> ((LongStream) stream).boxed();
          case DOUBLE -> ((DoubleStream) stream).boxed();
        };
  }

  /** A stream of objects as one of this shape, which all of them have to be. */
  BaseStream<?, ?> unboxed(Stream<Object> stream) {
    return switch (this) {
      case OBJECT -> stream;
      case INT -> stream.mapToInt(element -> (Integer) element);
      case LONG -> stream.mapToLong(element -> (Long) element);
      case DOUBLE -> stream.mapToDouble(element -> (Double) element);
    };
  }
}
