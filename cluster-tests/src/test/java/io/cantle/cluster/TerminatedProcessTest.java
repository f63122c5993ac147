package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what becomes of a node whose process is told to end. */
@Timeout(180)
final class TerminatedProcessTest {
  private static final int STABLE_ENTRY_COUNT = 5_000;

  /** A crash of the process would lose what it owns. */
  private static final CacheConfig ONE_OWNER = CacheConfig.distributed().owners(1).segments(16);

  /** Far below the leave timeout, of a minute. */
  private static final long MAX_END_MILLIS = 10_000;

  @Test
  void terminatedProcessHandsOverWhatItOwns() throws IOException, InterruptedException {
    try (TestGrid cluster = new TestGrid(3)) {
      Grid first = cluster.join();
      cluster.join();
      try (KillableNode terminated = KillableNode.start(cluster)) {
        cluster.awaitMembers(3);
        List<Cache<String, Long>> caches =
            cluster.nodes().stream()
                .map(node -> node.<String, Long>cache("single", ONE_OWNER))
                .toList();
        cluster.awaitSettled();
        UnchangingEntries stable = new UnchangingEntries(STABLE_ENTRY_COUNT);
        stable.putInto(caches.getFirst());
        try (BackgroundWriters writers = new BackgroundWriters(caches, 2)) {
          writers.awaitMoreWrites(100);
          terminated.terminate();
          assertThat(terminated.awaitEnd()).isLessThan(MAX_END_MILLIS);
          writers.awaitMoreWrites(100);
          assertThat(first.lostSegments("single")).isEmpty();
          assertThat(writers.lostKeys(caches.getFirst())).isEmpty();
          assertThat(writers.failures()).isEmpty();
        }
        assertThat(
                caches.getFirst().keySet().stream().filter(key -> !key.startsWith("busy")).count())
            .isEqualTo(STABLE_ENTRY_COUNT);
        cluster.awaitMembers(2);
      }
    }
  }

  @Test
  void processesThatAreTerminatedTogetherWaitForNobody() throws IOException, InterruptedException {
    TestGrid cluster = new TestGrid(4);
    try (KillableNode one = KillableNode.start(cluster, 0);
        KillableNode two = KillableNode.start(cluster, 1);
        KillableNode three = KillableNode.start(cluster, 2)) {
      try (Grid filling = Grid.join(cluster.configAt(3))) {
        ConditionWait.until("all", () -> filling.members().size() == 4, filling::members);
        new UnchangingEntries(STABLE_ENTRY_COUNT).putInto(filling.cache("single", ONE_OWNER));
        ConditionWait.until("a settled grid", filling::settled, filling::members);
      }
      List<KillableNode> all = List.of(one, two, three);
      all.forEach(KillableNode::terminate);
      for (KillableNode node : all) {
        assertThat(node.awaitEnd()).isLessThan(MAX_END_MILLIS);
      }
    }
  }

  @Test
  void processWithoutTheHookEndsAtOnceLikeOneThatCrashes()
      throws IOException, InterruptedException {
    try (TestGrid cluster = new TestGrid(3)) {
      Grid first = cluster.join();
      cluster.join();
      try (KillableNode terminated = KillableNode.start(cluster, 2, "", false)) {
        cluster.awaitMembers(3);
        Cache<String, Long> cache = first.cache("single", ONE_OWNER);
        cluster.awaitSettled();
        new UnchangingEntries(STABLE_ENTRY_COUNT).putInto(cache);
        terminated.terminate();
        assertThat(terminated.awaitEnd()).isLessThan(MAX_END_MILLIS);
        cluster.awaitMembers(2);
        assertThat(first.lostSegments("single")).isNotEmpty();
      }
    }
  }
}
