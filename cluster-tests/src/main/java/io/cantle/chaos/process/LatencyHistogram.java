package io.cantle.chaos.process;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A histogram of the durations of calls, in buckets that are each a tenth longer than the one
 * before.
 *
 * <p><b>Threading:</b> guarded by {@code this}.
 */
public final class LatencyHistogram {
  private static final int BUCKETS = 256;
  private static final double RATIO = Math.log(1.1);
  private static final double FIRST_NANOS = 1_000;

  private final long[] counts = new long[BUCKETS];

  /** Creates an empty histogram. */
  public LatencyHistogram() {}

  /** Counts one call. */
  public synchronized void add(long nanos) {
    double bucket = Math.log(Math.max((double) nanos, FIRST_NANOS) / FIRST_NANOS) / RATIO;
    counts[(int) Math.min(bucket, BUCKETS - 1)]++;
  }

  /** Adds what {@link #takeText} returned elsewhere. */
  public synchronized void addAll(String text) {
    String[] words = text.split(" ", -1);
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += Long.parseLong(words[i]);
    }
  }

  /** Returns everything counted, to be sent elsewhere, and forgets it. */
  public synchronized String takeText() {
    String text = Arrays.stream(counts).mapToObj(Long::toString).collect(Collectors.joining(" "));
    Arrays.fill(counts, 0);
    return text;
  }

  /** Returns how many calls were counted. */
  public synchronized long count() {
    return Arrays.stream(counts).sum();
  }

  /** Returns the duration that 99 of 100 calls did not exceed, in microseconds. */
  public synchronized long p99Micros() {
    long left = Math.ceilDiv(count() * 99, 100);
    for (int i = 0; i < BUCKETS; i++) {
      left -= counts[i];
      if (left <= 0) {
        return Math.round(FIRST_NANOS * Math.exp((i + 1) * RATIO) / 1_000);
      }
    }
    return 0;
  }
}
