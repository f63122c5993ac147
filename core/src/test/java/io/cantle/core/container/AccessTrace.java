package io.cantle.core.container;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The keys that are read, in their order. A key that is not found is put. The same seed makes the
 * same trace.
 */
public record AccessTrace(String name, long[] keys) {
  private static final int LENGTH = 1_000_000;
  private static final int KEY_COUNT = 500_000;
  private static final int WORKING_RUN = 75_000;
  private static final int SCAN_RUN = 25_000;
  private static final int SHIFT_EVERY = 200_000;
  private static final long SHIFT = 3_000;

  /** The first key that only scans read. */
  private static final long FIRST_SCANNED = 1L << 40;

  /** The shapes by which hit rates are compared. */
  public static Stream<AccessTrace> ofHitRates() {
    return Stream.of(
        zipf(0.9, 1), zipf(1.0, 2), scanMixed(3), loop(15_000), loop(40_000), shifting(4));
  }

  /** The key of rank r is wanted in proportion to 1 / r^exponent. */
  public static AccessTrace zipf(double exponent, long seed) {
    double[] sums = new double[KEY_COUNT];
    double sum = 0;
    for (int i = 0; i < KEY_COUNT; i++) {
      sum += 1 / Math.pow(i + 1, exponent);
      sums[i] = sum;
    }
    SplittableRandom random = new SplittableRandom(seed);
    long[] keys = new long[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
      keys[i] = found < 0 ? -found - 1 : found;
    }
    return new AccessTrace("zipf " + exponent, keys);
  }

  /** A Zipf trace, interrupted by scans of keys that are wanted once. */
  public static AccessTrace scanMixed(long seed) {
    long[] wanted = zipf(0.9, seed).keys;
    long[] keys = new long[LENGTH];
    int read = 0;
    for (int i = 0; i < LENGTH; i++) {
      boolean scans = i % (WORKING_RUN + SCAN_RUN) >= WORKING_RUN;
      keys[i] = scans ? FIRST_SCANNED + i : wanted[read++];
    }
    return new AccessTrace("scan-mixed", keys);
  }

  /** The same keys again and again. */
  public static AccessTrace loop(int length) {
    long[] keys = new long[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      keys[i] = i % length;
    }
    return new AccessTrace("loop " + length, keys);
  }

  /** A Zipf trace whose hottest keys grow cold again and again. */
  public static AccessTrace shifting(long seed) {
    long[] keys = zipf(1.0, seed).keys;
    for (int i = 0; i < LENGTH; i++) {
      keys[i] += i / SHIFT_EVERY * SHIFT;
    }
    return new AccessTrace("shifting", keys);
  }
}
