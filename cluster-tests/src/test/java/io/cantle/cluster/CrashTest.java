package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.IndeterminateException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
final class CrashTest {
  private static final int STABLE = 20_000;

  /**
   * So few that a segment takes several pulls: its owner changes while an iteration is within it.
   */
  private static final CacheConfig LONG_SEGMENTS = CacheConfig.distributed().segments(16);

  private static final int SURVIVORS = 2;

  /** So many keys that no segment is without one. */
  private static final int PROBES = 6_000;

  /** The oldest node makes the topologies, so its end differs from that of the youngest. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void losesNothingAndDeliversExactlyOnceWhenProcessIsKilled(boolean oldest) throws IOException {
    try (Cluster cluster = new Cluster(SURVIVORS + 1)) {
      Victim early = oldest ? Victim.start(cluster) : null;
      List<Cache<String, Long>> caches = new ArrayList<>();
      for (int node = 0; node < SURVIVORS; node++) {
        caches.add(cluster.join().cache("moving", LONG_SEGMENTS));
      }
      try (Victim victim = early != null ? early : Victim.start(cluster)) {
        cluster.awaitMembers(SURVIVORS + 1);
        Stable stable = new Stable(STABLE);
        stable.putInto(caches.getFirst());
        awaitShare(caches.getFirst());
        try (Writers writers = new Writers(caches, 2);
            Readers readers = new Readers(List.of(caches.getLast()), STABLE);
            CloseableIterator<String> keys = caches.getFirst().keySet().iterator()) {
          stable.take(keys, 100);
          writers.awaitMore(100);
          readers.awaitMore(1);
          victim.kill();
          stable.take(keys, Integer.MAX_VALUE);
          assertThat(stable.mistakes()).isEmpty();
          cluster.awaitMembers(SURVIVORS);
          writers.awaitMore(100);
          readers.awaitMore(2);
          assertThat(readers.mistakes()).isEmpty();
          assertThat(writers.lost(caches.getLast())).isEmpty();
          assertThat(writers.failures())
              .as("a write may be in doubt, nothing else may fail")
              .allMatch(IndeterminateException.class::isInstance);
        }
      }
    }
  }

  /** Every segment has the two owners it should have, and the process to be killed its share. */
  private static void awaitShare(Cache<String, Long> cache) {
    Await.until(
        "two owners of everything",
        () -> owners(cache).allMatch(owners -> owners.size() == 2),
        () -> owners(cache).toList());
    Await.until(
        "a primary that is to be killed",
        () -> owners(cache).anyMatch(owners -> owners.getFirst().equals("node-" + SURVIVORS)),
        () -> owners(cache).toList());
  }

  private static Stream<List<String>> owners(Cache<String, Long> cache) {
    return IntStream.range(0, PROBES).mapToObj(index -> cache.owners("probe-" + index));
  }
}
