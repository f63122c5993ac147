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
  private static final int STABLE_ENTRY_COUNT = 20_000;

  /**
   * So few segments that each takes several pulls: its owner changes while an iteration is within
   * it.
   */
  private static final CacheConfig LONG_SEGMENT_COUNT = CacheConfig.distributed().segments(16);

  private static final int SURVIVORS = 2;

  /** So many keys that no segment is without one. */
  private static final int PROBE_COUNT = 6_000;

  /** The oldest node leads the topologies, so its crash differs from that of the youngest. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void killedProcessLosesNothingAndDeliveryIsExactlyOnce(boolean oldest) throws IOException {
    try (TestGrid cluster = new TestGrid(SURVIVORS + 1)) {
      KillableNode early = oldest ? KillableNode.start(cluster) : null;
      List<Cache<String, Long>> caches = new ArrayList<>();
      for (int node = 0; node < SURVIVORS; node++) {
        caches.add(cluster.join().cache("moving", LONG_SEGMENT_COUNT));
      }
      try (KillableNode victim = early != null ? early : KillableNode.start(cluster)) {
        cluster.awaitMembers(SURVIVORS + 1);
        UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
        stable.putInto(caches.getFirst());
        awaitShare(caches.getFirst());
        cluster.awaitSettled();
        try (BackgroundWriters writers = new BackgroundWriters(caches, 2);
            BackgroundReaders readers =
                new BackgroundReaders(List.of(caches.getLast()), STABLE_ENTRY_COUNT);
            CloseableIterator<String> keys = caches.getFirst().keySet().iterator()) {
          stable.recordDeliveries(keys, 100);
          writers.awaitMoreWrites(100);
          readers.awaitMoreRounds(1);
          victim.kill();
          stable.recordDeliveries(keys, Integer.MAX_VALUE);
          assertThat(stable.mistakes()).isEmpty();
          cluster.awaitMembers(SURVIVORS);
          writers.awaitMoreWrites(100);
          readers.awaitMoreRounds(2);
          assertThat(readers.mistakes()).isEmpty();
          assertThat(writers.lostKeys(caches.getLast())).isEmpty();
          assertThat(writers.failures())
              .as("a write may be in doubt, nothing else may fail")
              .allMatch(IndeterminateException.class::isInstance);
        }
      }
    }
  }

  /** Waits until every segment has its two owners, and the process to be killed has its share. */
  private static void awaitShare(Cache<String, Long> cache) {
    ConditionWait.until(
        "two owners of everything",
        () -> owners(cache).allMatch(owners -> owners.size() == 2),
        () -> owners(cache).toList());
    ConditionWait.until(
        "a primary that is to be killed",
        () -> owners(cache).anyMatch(owners -> owners.getFirst().equals("node-" + SURVIVORS)),
        () -> owners(cache).toList());
  }

  private static Stream<List<String>> owners(Cache<String, Long> cache) {
    return IntStream.range(0, PROBE_COUNT).mapToObj(index -> cache.owners("probe-" + index));
  }
}
