package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheFullException;
import io.cantle.Grid;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a node whose heap is nearly full refuses writes, and neither dies nor loses any. */
@Timeout(180)
final class FullHeapTest {
  private static final int VALUE_BYTES = 64 << 10;
  private static final int SMALL_HEAP_BYTES = 64 << 20;
  private static final String SMALL_HEAP = "-Xmx64m";
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(16);

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC"})
  void writesAreRefusedBeforeMemoryIsExhausted(String collector) throws Exception {
    String told = run(collector, "local");

    assertThat(told.lines())
        .containsExactly(
            "refused by the heap true, lost 0",
            "after removals written true, lost 0",
            "after clear written true, lost 0");
  }

  /** Two of these values fit into a region of G1, and a third of it is left over. */
  @Test
  void whatLongValuesLeaveUnusedIsCounted() throws Exception {
    assertThat(run("-XX:+UseG1GC", "350000")).isEqualTo("refused by the heap true");
  }

  /** The primary has memory for much more, and learns that the other owner has not. */
  @Test
  void anOwnerWithASmallHeapIsNotFilled() throws Exception {
    try (TestGrid cluster = new TestGrid(2);
        KillableNode small = KillableNode.start(cluster, 1, "", true, SMALL_HEAP)) {
      Grid large = cluster.join();
      ConditionWait.until("two members", () -> large.members().size() == 2, large::members);
      Cache<Integer, byte[]> cache = large.cache("load", TWO_OWNERS);
      ConditionWait.until("two owners", large::settled, large::members);

      AtomicInteger next = new AtomicInteger();
      // What refuses may have told only the caller yet, and a collection may find room again.
      ConditionWait.until(
          "a node that is full and known to be",
          () -> {
            next.set(putUntilRefused(cache, next.get()));
            return large.heapFigures().fullMembers().size() == 1;
          },
          large::heapFigures);
      int written = next.get();
      for (int key = 0; key < written; key++) {
        assertThat(cache.get(key)).hasSize(VALUE_BYTES);
      }
      for (int key = 0; key < written; key += 2) {
        cache.remove(key);
      }
      ConditionWait.until("room", () -> tryPut(cache, written), large::heapFigures);

      cache.clear();
      ConditionWait.until("room", () -> tryPut(cache, 0), large::heapFigures);
      assertThat(putUntilRefused(cache, 0)).isGreaterThan(written / 2);
      assertThat(large.members()).hasSize(2);
      assertThat(small.isAlive()).isTrue();
      large.close();
    }
  }

  /** What is to be fetched is more than fits; segments keep one owner then. */
  @Test
  void aJoinerWithASmallHeapIsNotFilled() throws Exception {
    try (TestGrid cluster = new TestGrid(2)) {
      Grid large = cluster.join();
      Cache<Integer, byte[]> cache = large.cache("load", TWO_OWNERS);
      int count = 2 * SMALL_HEAP_BYTES / VALUE_BYTES;
      for (int key = 0; key < count; key++) {
        cache.put(key, new byte[VALUE_BYTES]);
      }

      try (KillableNode small = KillableNode.start(cluster, 1, "", true, SMALL_HEAP)) {
        ConditionWait.until(
            "the joiner is full",
            () -> !large.heapFigures().fullMembers().isEmpty(),
            large::heapFigures);
        for (int key = 0; key < count; key++) {
          assertThat(cache.get(key)).hasSize(VALUE_BYTES);
        }
        assertThat(large.members()).hasSize(2);
        assertThat(large.settled()).isFalse();

        cache.clear();
        ConditionWait.until("two owners", large::settled, large::heapFigures);
        ConditionWait.until("room", () -> tryPut(cache, 0), large::heapFigures);
        assertThat(small.isAlive()).isTrue();
        large.close();
      }
    }
  }

  private static int putUntilRefused(Cache<Integer, byte[]> cache, int first) {
    int key = first;
    while (tryPut(cache, key)) {
      key++;
      assertThat(key).isLessThan(2 * SMALL_HEAP_BYTES / VALUE_BYTES);
    }
    return key;
  }

  private static boolean tryPut(Cache<Integer, byte[]> cache, int key) {
    return tryPut(cache, key, VALUE_BYTES);
  }

  private static boolean tryPut(Cache<Integer, byte[]> cache, int key, int valueBytes) {
    try {
      cache.put(key, new byte[valueBytes]);
      return true;
    } catch (CacheFullException full) {
      assertThat(full).hasMessageContainingAll("heap of node", "MiB", "CacheConfig.maxBytes");
      return false;
    }
  }

  /** Runs the load in a process of its own, which ends at once if its memory is exhausted. */
  private static String run(String collector, String... words)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            collector,
            "-Xmx512m",
            "-XX:+ExitOnOutOfMemoryError",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Filler.class.getName());
    builder.command().addAll(List.of(words));
    Process child = builder.redirectError(Redirect.INHERIT).start();
    String told = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).as(told).isZero();
    return told.strip();
  }

  /** Fills its heap, makes room, and fills it again. */
  static final class Filler {
    private Filler() {}

    /** Runs the load. */
    public static void main(String... words) throws InterruptedException {
      try (Grid grid = Grid.local()) {
        if (!words[0].equals("local")) {
          Cache<Integer, byte[]> cache = grid.cache("load", CacheConfig.distributed());
          System.out.println("refused by the heap " + fill(cache, Integer.parseInt(words[0])));
          return;
        }
        FullHeapLoad load =
            new FullHeapLoad(grid, grid.cache("load", CacheConfig.distributed().segments(64)));
        String refusal = load.fill();
        System.err.println(load.figures() + " " + load.acknowledgedCount() + " " + refusal);
        System.out.println(
            "refused by the heap "
                + (refusal.contains("heap of node") && refusal.contains("MiB"))
                + ", lost "
                + load.lostCount());
        load.removeHalf();
        int before = load.acknowledgedCount();
        load.fill();
        System.err.println(load.figures() + " " + load.acknowledgedCount());
        System.out.println(
            "after removals written "
                + (load.acknowledgedCount() > before)
                + ", lost "
                + load.lostCount());
        load.clear();
        load.fill();
        System.err.println(load.figures() + " " + load.acknowledgedCount());
        System.out.println(
            "after clear written " + (load.acknowledgedCount() > 0) + ", lost " + load.lostCount());
      }
    }

    private static boolean fill(Cache<Integer, byte[]> cache, int valueBytes) {
      int refused = 0;
      for (int key = 0; refused < 50; key++) {
        refused += tryPut(cache, key, valueBytes) ? 0 : 1;
      }
      return !cache.isEmpty();
    }
  }
}
