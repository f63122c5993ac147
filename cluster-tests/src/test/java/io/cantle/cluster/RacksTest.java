package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.NotAvailableException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a node that owns nothing, and two racks of two nodes, one of which is killed as a whole.
 */
@Timeout(180)
final class RacksTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().segments(32);
  private static final int ENTRIES = 2_000;
  private static final String CALLER = "node-0";
  private static final Set<String> LEFT = Set.of("node-1", "node-2");
  private static final Set<String> RIGHT = Set.of("node-3", "node-4");

  @Test
  void killedRackLosesNothingAndCallerWithoutCapacityOwnsNothing() throws IOException {
    try (TestGrid cluster = new TestGrid(5)) {
      Grid caller = cluster.join(config -> config.capacity(0));
      Cache<String, Integer> cache = caller.cache("racks", SEGMENTS);
      assertThatThrownBy(() -> cache.put("early", 1))
          .isInstanceOf(NotAvailableException.class)
          .hasMessageContaining("GridConfig.capacity");
      cluster.join(config -> config.rack("left"));
      cluster.join(config -> config.rack("left"));
      try (KillableNode third = KillableNode.start(cluster, 3, "right");
          KillableNode fourth = KillableNode.start(cluster, 4, "right")) {
        cluster.awaitMembers(5);
        ConditionWait.until(
            "copies on both racks", () -> areOnDifferentRacks(cache), () -> owners(cache));
        IntStream.range(0, ENTRIES).forEach(key -> cache.put("key-" + key, key));
        cluster.awaitSettled();
        assertThat(owners(cache)).noneMatch(owners -> owners.contains(CALLER));
        third.kill();
        fourth.kill();
        for (int key = 0; key < ENTRIES; key++) {
          assertThat(cache.get("key-" + key)).isEqualTo(key);
        }
        assertThat(cache.size()).isEqualTo(ENTRIES);
        assertThat(caller.lostSegments("racks")).isEmpty();
        cluster.awaitMembers(3);
        ConditionWait.until(
            "two owners of everything",
            () -> owners(cache).stream().allMatch(owners -> LEFT.equals(Set.copyOf(owners))),
            () -> owners(cache));
      }
      // It leaves first: while it is present, the last node with capacity would wait for another
      // node to take over.
      cluster.leave(caller);
    }
  }

  private static List<List<String>> owners(Cache<String, Integer> cache) {
    return IntStream.range(0, ENTRIES).mapToObj(key -> cache.owners("key-" + key)).toList();
  }

  private static boolean areOnDifferentRacks(Cache<String, Integer> cache) {
    return owners(cache).stream()
        .allMatch(
            owners ->
                owners.size() == 2
                    && owners.stream().anyMatch(LEFT::contains)
                    && owners.stream().anyMatch(RIGHT::contains));
  }
}
