package io.cantle.core.node;

import io.cantle.LatencyFigures;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long calls took. Each is counted in a bucket, of which there are eight for each power of two,
 * so a percentile is at most an eighth too high.
 *
 * <p><b>Threading:</b> any thread. What is read while others count may lack some of it.
 */
final class DurationHistogram {
  /** Each power of two is divided into so many buckets, as a power of two. */
  private static final int BUCKET_BITS = 3;

  private static final int BUCKETS_PER_POWER = 1 << BUCKET_BITS;

  /** The last bucket has all calls that are as long as this power of two, some 18 minutes. */
  private static final int MAX_POWER = 40;

  private static final int BUCKET_COUNT = (MAX_POWER - BUCKET_BITS + 2) * BUCKETS_PER_POWER;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKET_COUNT);
  private final LongAdder totalNanos = new LongAdder();
  private final AtomicLong maxNanos = new AtomicLong();

  /** Counts a call. */
  void record(long nanos) {
    long counted = Math.max(0, nanos);
    counts.getAndIncrement(bucketOf(counted));
    totalNanos.add(counted);
    if (counted > maxNanos.get()) {
      maxNanos.accumulateAndGet(counted, Math::max);
    }
  }

  /** What was counted so far. */
  LatencyFigures figures() {
    long[] snapshot = new long[counts.length()];
    long count = 0;
    for (int bucket = 0; bucket < snapshot.length; bucket++) {
      snapshot[bucket] = counts.get(bucket);
      count += snapshot[bucket];
    }
    if (count == 0) {
      return LatencyFigures.NONE;
    }
    long max = maxNanos.get();
    return new LatencyFigures(
        count,
        totalNanos.sum() / count,
        percentile(snapshot, count, 0.5, max),
        percentile(snapshot, count, 0.9, max),
        percentile(snapshot, count, 0.99, max),
        percentile(snapshot, count, 0.999, max),
        max);
  }

  /** A time within which a part of the calls ended. */
  private static long percentile(long[] snapshot, long count, double part, long maxNanos) {
    long wanted = (long) Math.ceil(part * count);
    long seen = 0;
    for (int bucket = 0; bucket < snapshot.length; bucket++) {
      seen += snapshot[bucket];
      if (seen >= wanted) {
        return bucket == snapshot.length - 1 ? maxNanos : Math.min(endOf(bucket), maxNanos);
      }
    }
    return maxNanos;
  }

  private static int bucketOf(long nanos) {
    if (nanos < BUCKETS_PER_POWER) {
      return (int) nanos;
    }
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    if (power > MAX_POWER) {
      return BUCKET_COUNT - 1;
    }
    int part = (int) (nanos >>> (power - BUCKET_BITS)) & (BUCKETS_PER_POWER - 1);
    return (power - BUCKET_BITS + 1) * BUCKETS_PER_POWER + part;
  }

  /** The longest time that is counted in a bucket. */
  private static long endOf(int bucket) {
    if (bucket < BUCKETS_PER_POWER) {
      return bucket;
    }
    int power = bucket / BUCKETS_PER_POWER + BUCKET_BITS - 1;
    long part = bucket % BUCKETS_PER_POWER;
    return ((BUCKETS_PER_POWER + part + 1) << (power - BUCKET_BITS)) - 1;
  }
}
