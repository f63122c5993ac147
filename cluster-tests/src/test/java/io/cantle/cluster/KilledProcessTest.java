package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.NotAvailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what the remaining nodes notice of a killed process. */
@Timeout(180)
final class KilledProcessTest {
  private static final CacheConfig SEGMENT_COUNT = CacheConfig.distributed().segments(32);
  private static final int PROBE_COUNT = 500;

  /** Long after a socket is seen to close, on a machine that is also busy otherwise. */
  private static final Duration MAX_FAILOVER = Duration.ofSeconds(8);

  @Test
  void keysOfAKilledPrimaryBecomeWritable() throws IOException {
    try (TestGrid cluster = new TestGrid(3)) {
      Cache<String, Integer> cache = cluster.join().cache("failover", SEGMENT_COUNT);
      cluster.join();
      try (KillableNode victim = KillableNode.start(cluster)) {
        cluster.awaitMembers(3);
        ConditionWait.until(
            "primaries everywhere",
            () -> keysOf(cache, "node-2").size() > PROBE_COUNT / 5 && cluster.node(0).settled(),
            List::of);
        List<String> orphans = keysOf(cache, "node-2");
        orphans.forEach(key -> cache.put(key, 1));
        victim.kill();
        long began = System.nanoTime();
        for (String key : orphans) {
          assertThat(cache.put(key, 2)).isEqualTo(1);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(MAX_FAILOVER);
        assertThat(orphans).allSatisfy(key -> assertThat(cache.get(key)).isEqualTo(2));
      }
    }
  }

  /**
   * Nodes that joined one after the other watch each other, so no other node detects the second of
   * them.
   */
  @Test
  void keysOfTwoKilledNeighboursBecomeWritable() throws IOException {
    try (TestGrid cluster = new TestGrid(5)) {
      Cache<String, Integer> cache = cluster.join().cache("failover", SEGMENT_COUNT.owners(3));
      cluster.join();
      cluster.join();
      try (KillableNode first = KillableNode.start(cluster, 3);
          KillableNode second = KillableNode.start(cluster, 4)) {
        cluster.awaitMembers(5);
        ConditionWait.until(
            "primaries everywhere",
            () ->
                Stream.of("node-3", "node-4").allMatch(node -> keysOf(cache, node).size() > 10)
                    && cluster.node(0).settled(),
            List::of);
        List<String> orphans = new ArrayList<>(keysOf(cache, "node-3"));
        orphans.addAll(keysOf(cache, "node-4"));
        orphans.forEach(key -> cache.put(key, 1));
        first.kill();
        second.kill();
        long began = System.nanoTime();
        for (String key : orphans) {
          assertThat(cache.put(key, 2)).isEqualTo(1);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(MAX_FAILOVER);
        assertThat(orphans).allSatisfy(key -> assertThat(cache.get(key)).isEqualTo(2));
      }
    }
  }

  private static List<String> keysOf(Cache<String, Integer> cache, String primary) {
    return IntStream.range(0, PROBE_COUNT)
        .mapToObj(index -> "probe-" + index)
        .filter(key -> cache.owners(key).getFirst().equals(primary))
        .toList();
  }

  /** The older one may be alive and go on: the younger must not guess. */
  @Test
  void youngerOfTwoAnswersNothingAloneAndReportsWhy() throws IOException {
    TestGrid cluster = new TestGrid(2);
    List<String> said = new CopyOnWriteArrayList<>();
    try (KillableNode older = KillableNode.start(cluster)) {
      // No node releases it, so it waits for that in vain when it closes.
      try (Grid left = Grid.join(cluster.next().leaveTimeout(Duration.ofSeconds(2)))) {
        Cache<String, Integer> cache = left.cache("pair", SEGMENT_COUNT);
        ConditionWait.until("both", () -> left.members().size() == 2, left::members);
        cache.put("a", 1);
        older.kill();
        ConditionWait.until("it to notice", () -> refuses(cache), () -> "it answers");
        assertThatThrownBy(() -> cache.get("a"))
            .isInstanceOf(NotAvailableException.class)
            .hasMessageContaining("majority");
        assertThatThrownBy(() -> cache.put("a", 2)).isInstanceOf(NotAvailableException.class);
        assertThatThrownBy(cache::size).isInstanceOf(NotAvailableException.class);
        captureLogs(said, left::close);
      }
    }
    assertThat(said).anyMatch(text -> text.matches(".*cut off.* [0-9]+ ms more.*leaveTimeout.*"));
  }

  @Test
  void olderOfTwoContinuesAlone() throws IOException {
    TestGrid cluster = new TestGrid(2);
    try (Grid left = Grid.join(cluster.next())) {
      Cache<String, Integer> cache = left.cache("pair", SEGMENT_COUNT);
      try (KillableNode younger = KillableNode.start(cluster)) {
        ConditionWait.until(
            "both", () -> left.members().size() == 2 && left.settled(), left::members);
        cache.put("a", 1);
        younger.kill();
        assertThat(cache.get("a")).isEqualTo(1);
        assertThat(cache.put("a", 2)).isEqualTo(1);
      }
    }
  }

  /** Captures what nodes in this process log at INFO or above while an action runs. */
  private static void captureLogs(List<String> said, Runnable action) {
    Logger logger = Logger.getLogger("io.cantle");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            said.add(new SimpleFormatter().formatMessage(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      action.run();
    } finally {
      logger.removeHandler(handler);
    }
  }

  private static boolean refuses(Cache<String, Integer> cache) {
    try {
      cache.get("a");
      return false;
    } catch (NotAvailableException e) {
      return true;
    }
  }
}
