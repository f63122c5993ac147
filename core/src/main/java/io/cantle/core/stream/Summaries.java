package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.LongSummaryStatistics;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Counts, and the summaries of numbers from which their sums, averages and limits are told.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Summaries {
  private Summaries() {}

  static long count(Shape shape, BaseStream<?, ?> elements) {
    return switch (shape) {
      case OBJECT -> ((Stream<?>) elements).count();
      case INT -> ((IntStream) elements).count();
      case LONG -> ((LongStream) elements).count();
      case DOUBLE -> ((DoubleStream) elements).count();
    };
  }

  static void write(Shape shape, BaseStream<?, ?> elements, Output out) {
    switch (shape) {
      case OBJECT -> throw new IllegalArgumentException("a summary is made of numbers");
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

  static IntSummaryStatistics readInts(Input in) {
    long count = in.readVarint();
    return new IntSummaryStatistics(count, in.readInt(), in.readInt(), in.readLong());
  }

  static LongSummaryStatistics readLongs(Input in) {
    long count = in.readVarint();
    return new LongSummaryStatistics(count, in.readLong(), in.readLong(), in.readLong());
  }

  static DoubleSummaryStatistics readDoubles(Input in) {
    long count = in.readVarint();
    double min = Double.longBitsToDouble(in.readLong());
    double max = Double.longBitsToDouble(in.readLong());
    double sum = Double.longBitsToDouble(in.readLong());
    if (!Double.isNaN(sum) || Double.isNaN(min)) {
      return new DoubleSummaryStatistics(count, min, max, sum);
    }
    // Both infinities were among them, which the constructor does not believe.
    DoubleSummaryStatistics both = new DoubleSummaryStatistics(count - 2, min, max, 0);
    both.accept(min);
    both.accept(max);
    return both;
  }
}
