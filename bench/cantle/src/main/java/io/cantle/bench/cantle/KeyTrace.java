package io.cantle.bench.cantle;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/**
 * Sequences of keys by which hit rates are measured: the shapes of traces that caches meet.
 *
 * <p><b>Threading:</b> immutable; what {@link #start} returns belongs to one thread.
 */
enum KeyTrace {
  /** Some keys are wanted often, as by Zipf's law with an exponent of 0.9. */
  ZIPF_90 {
    @Override
    IntSupplier start(int keys, int cached) {
      return zipf(keys, 0.9);
    }
  },
  /** The same with an exponent of 1. */
  ZIPF_100 {
    @Override
    IntSupplier start(int keys, int cached) {
      return zipf(keys, 1);
    }
  },
  /** Zipf with an exponent of 0.9, and each key once in turn beside every third call. */
  SCAN_MIXED {
    @Override
    IntSupplier start(int keys, int cached) {
      IntSupplier wanted = zipf(keys, 0.9);
      int[] calls = new int[1];
      return () -> ++calls[0] % 3 == 0 ? calls[0] / 3 % keys : wanted.getAsInt();
    }
  },
  /** The same keys again and again, a fifth more than there is room for. */
  LOOP {
    @Override
    IntSupplier start(int keys, int cached) {
      int[] calls = new int[1];
      return () -> ++calls[0] % (cached + cached / 5);
    }
  };

  /**
   * Begins the sequence, which is the same each time.
   *
   * @param keys how many keys there are
   * @param cached for how many there is room
   */
  abstract IntSupplier start(int keys, int cached);

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static IntSupplier zipf(int keys, double exponent) {
    double[] sums = new double[keys];
    double sum = 0;
    for (int i = 0; i < keys; i++) {
      sum += Math.pow(i + 1, -exponent);
      sums[i] = sum;
    }
    double total = sum;
    SplittableRandom random = new SplittableRandom(7);
    return () -> {
      int place = Arrays.binarySearch(sums, random.nextDouble(total));
      return Math.min(keys - 1, place < 0 ? ~place : place);
    };
  }
}
