package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares hit rates on traces made from seeds. The log has one line for each trace; the table in
 * docs/decisions/bounds.md is made of them.
 */
final class EvictionHitRateTest {
  private static final System.Logger LOG = System.getLogger(EvictionHitRateTest.class.getName());
  private static final int CAPACITY = 10_240;
  private static final int SEGMENTS = 256;
  private static final double MAX_POINTS_BELOW_CAFFEINE = 1.0;

  @ParameterizedTest
  @MethodSource("io.cantle.core.container.AccessTrace#ofHitRates")
  void findsAsManyKeysAsCaffeineDoes(AccessTrace trace) {
    double caffeine = EvictionCandidate.caffeine(CAPACITY).hitPercent(trace);
    double whole = new EvictionCandidate.Chosen(CAPACITY, 1).hitPercent(trace);
    double divided = new EvictionCandidate.Chosen(CAPACITY, SEGMENTS).hitPercent(trace);
    LOG.log(
        System.Logger.Level.INFO,
        String.format(
            Locale.ROOT,
            "hit rates of %s: Caffeine %.1f, ours %.1f, in %d segments %.1f, S3-FIFO %.1f,"
                + " SIEVE %.1f, LRU %.1f",
            trace.name(),
            caffeine,
            whole,
            SEGMENTS,
            divided,
            new EvictionCandidate.S3Fifo(CAPACITY).hitPercent(trace),
            new EvictionCandidate.Sieve(CAPACITY).hitPercent(trace),
            EvictionCandidate.leastRecentlyUsed(CAPACITY).hitPercent(trace)));
    assertThat(whole).as(trace.name()).isGreaterThan(caffeine - MAX_POINTS_BELOW_CAFFEINE);
    assertThat(divided).as(trace.name()).isGreaterThan(caffeine - MAX_POINTS_BELOW_CAFFEINE);
  }
}
