package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.AccessTrace;
import io.cantle.core.container.EvictionCandidate;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares how many reads find their value in memory with the hit rate of a bounded cache that has
 * room for as many entries. The log has one line for each trace; the table in
 * docs/decisions/eviction.md is made of them.
 */
final class ValueHitRateTest {
  private static final System.Logger LOG = System.getLogger(ValueHitRateTest.class.getName());
  private static final int CAPACITY = 10_240;
  private static final int SEGMENTS = 256;
  private static final double MAX_POINTS_BELOW_BOUNDED = 2.0;

  @ParameterizedTest
  @MethodSource("io.cantle.core.container.AccessTrace#ofHitRates")
  void findsAsManyValuesAsABoundedCacheDoes(AccessTrace trace) {
    double bounded = new EvictionCandidate.Chosen(CAPACITY, SEGMENTS).hitPercent(trace);
    long[] keys = Arrays.stream(trace.keys()).distinct().toArray();
    DurableCache cache = new DurableCache(SEGMENTS, keys.length, CAPACITY);
    for (long key : keys) {
      cache.write(key);
    }
    double durable = cache.hitPercent(trace);
    LOG.log(
        System.Logger.Level.INFO,
        String.format(
            Locale.ROOT,
            "hit rates of %s in %d segments: bounded %.1f, durable %.1f",
            trace.name(),
            SEGMENTS,
            bounded,
            durable));
    assertThat(durable).as(trace.name()).isGreaterThan(bounded - MAX_POINTS_BELOW_BOUNDED);
  }
}
