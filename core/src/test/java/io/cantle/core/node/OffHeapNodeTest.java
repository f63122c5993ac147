package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.CacheFullException;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import io.cantle.GridConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.container.CountedArenas;
import io.cantle.core.memory.MemoryUse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a node whose caches are kept off the heap, and the memory that it has reserved. */
@Timeout(60)
final class OffHeapNodeTest {
  private static final int SEGMENTS = 8;
  private static final int SLAB_BYTES = 8_192;
  private static final int MEMORY_BYTES = 1 << 20;
  private static final int VALUE_BYTES = 1_000;
  private static final CacheConfig OFF_HEAP =
      CacheConfig.distributed().segments(SEGMENTS).container(ContainerKind.OFF_HEAP);
  private static final CacheConfig LOCAL =
      CacheConfig.local().segments(SEGMENTS).container(ContainerKind.OFF_HEAP);

  private final SystemEnvironment system = new SystemEnvironment("off-heap");
  private final CountedArenas arenas = new CountedArenas(Long.MAX_VALUE);

  @TempDir Path folder;

  @AfterEach
  void givesBackWhatItHadWhenTheNodeCloses() {
    system.close();
    assertThat(arenas.reservedBytes()).isZero();
  }

  private NodeGrid start(GridConfig config) {
    Environment real = system.environment();
    Environment counted =
        new Environment(
            real.clock(),
            real.threads(),
            real.workers(),
            real.random(),
            real.processors(),
            real.heapBytes(),
            arenas,
            real.outOfMemoryHandler());
    return Node.startLocal(config, getClass().getClassLoader(), counted, () -> {});
  }

  private static long decodedBytes(NodeGrid grid) {
    return grid.node().memory.account(MemoryUse.DECODED_OBJECTS).reservedBytes();
  }

  @Test
  void memoryReturnsWhenACacheIsClearedOrDestroyed() {
    try (NodeGrid node = start(GridConfig.named("local").allowing("io.cantle.core.node"))) {
      for (CacheConfig config :
          new CacheConfig[] {
            OFF_HEAP,
            CacheConfig.replicated().segments(SEGMENTS).container(ContainerKind.OFF_HEAP),
            CacheConfig.local().segments(SEGMENTS).container(ContainerKind.OFF_HEAP)
          }) {
        Cache<Integer, String> cache = node.cache("cache", config);
        assertThat(arenas.reservedBytes()).isZero();
        Map<Integer, String> expected = new HashMap<>();
        for (int key = 0; key < 1_000; key++) {
          cache.put(key, "value " + key + "x".repeat(100));
          expected.put(key, "value " + key + "x".repeat(100));
        }
        assertThat(cache).isEqualTo(expected);
        assertThat(cache.size()).isEqualTo(1_000);
        assertThat(cache.entrySet().stream().filter(entry -> entry.getKey() < 10).count())
            .isEqualTo(10);
        assertThat(arenas.reservedBytes()).isGreaterThan(100_000);
        // No entry object stays that could keep what was decoded.
        assertThat(decodedBytes(node)).isZero();
        cache.clear();
        assertThat(arenas.reservedBytes()).isLessThanOrEqualTo(SEGMENTS * SLAB_BYTES);
        cache.put(1, "again");
        node.destroy("cache");
        assertThat(arenas.reservedBytes()).isZero();
      }
      node.<Integer, String>cache("open", OFF_HEAP).put(1, "still there at the end");
    }
  }

  @Test
  void writesAreRefusedWhenMemoryIsFullAndNothingIsLost() {
    GridConfig config = GridConfig.named("local").offHeapMemory(MEMORY_BYTES);
    for (List<CacheConfig> pair : List.of(List.of(OFF_HEAP, LOCAL), List.of(LOCAL, OFF_HEAP))) {
      try (NodeGrid node = start(config)) {
        Cache<Integer, byte[]> cache = node.cache("filled", pair.getFirst());
        Map<Integer, byte[]> expected = new HashMap<>();
        CacheFullException full = null;
        for (int key = 0; full == null; key++) {
          byte[] value = new byte[VALUE_BYTES];
          value[0] = (byte) key;
          try {
            cache.put(key, value);
            expected.put(key, value);
          } catch (CacheFullException e) {
            full = e;
          }
        }
        assertThat(full).hasMessageContaining("1048576").hasMessageContaining("offHeapMemory");
        assertThat(expected.size()).isGreaterThan(MEMORY_BYTES / VALUE_BYTES * 3 / 4);
        assertThat(arenas.reservedBytes()).isBetween(MEMORY_BYTES * 3L / 4, (long) MEMORY_BYTES);
        checkSame(cache, expected);
        Cache<Integer, byte[]> other = node.cache("other", pair.getLast());
        assertThatExceptionOfType(CacheFullException.class)
            .isThrownBy(() -> other.put(1, new byte[VALUE_BYTES]));
        assertThat(other.size()).isZero();

        // What needs no more memory is written, and what was removed makes room.
        cache.put(1, new byte[VALUE_BYTES]);
        expected.put(1, new byte[VALUE_BYTES]);
        for (int key = 10; key < 20; key++) {
          cache.remove(key);
          cache.put(key, new byte[VALUE_BYTES]);
          expected.put(key, new byte[VALUE_BYTES]);
        }
        checkSame(cache, expected);
        // A removal is never refused: its tombstone is written over the entry.
        expected.keySet().forEach(cache::remove);
        assertThat(cache.size()).isZero();
        assertThat(arenas.mostReservedBytes()).isLessThanOrEqualTo(MEMORY_BYTES);
      }
    }
  }

  @Test
  void arraysAreReadAsTheyAre() {
    try (NodeGrid node = start(GridConfig.named("local").allowing("io.cantle.core.node"))) {
      for (CacheConfig config : List.of(OFF_HEAP, LOCAL, LOCAL.maxEntries(1_000))) {
        Cache<Integer, Object> cache = node.cache("values", config);
        // Each value is read after another one that is an array, or is not.
        List<Object> values =
            List.of(
                new byte[0],
                new byte[] {7},
                "text",
                new byte[127],
                new byte[128],
                1,
                new byte[40_000],
                List.of(new byte[2]));
        for (int round = 0; round < 3; round++) {
          for (int key = 0; key < values.size(); key++) {
            cache.put(key, values.get((key + round) % values.size()));
          }
          for (int key = 0; key < values.size(); key++) {
            assertThat(cache.get(key))
                .usingRecursiveComparison()
                .isEqualTo(values.get((key + round) % values.size()));
          }
        }
        cache.put(1, new byte[] {1, 2});
        ((byte[]) Objects.requireNonNull(cache.get(1)))[0] = 9;
        assertThat(cache.get(1)).as("an array of the caller's own").isEqualTo(new byte[] {1, 2});
        cache.remove(1);
        assertThat(cache.get(1)).isNull();
        assertThat(cache.get(1_000)).isNull();
        assertThat(cache.statistics().hits()).isEqualTo(3 * values.size() + 2);
        assertThat(cache.statistics().misses()).isEqualTo(2);
        cache.lifespan(Duration.ofMillis(1)).put(2, new byte[] {3});
        while (cache.get(2) != null) {
          Thread.onSpinWait();
        }
        node.destroy("values");
        assertThatExceptionOfType(CacheDestroyedException.class).isThrownBy(() -> cache.get(0));
      }
    }
  }

  private static void checkSame(Cache<Integer, byte[]> cache, Map<Integer, byte[]> expected) {
    assertThat(cache.size()).isEqualTo(expected.size());
    expected.forEach((key, value) -> assertThat(cache.get(key)).isEqualTo(value));
    assertThat(cache.entrySet().stream().count()).isEqualTo(expected.size());
  }

  @Test
  void durableEntriesSurviveARestartAndLeaveMemoryWhenThereIsTooLittle() {
    CacheConfig durable = OFF_HEAP.durability(Durability.SYNC);
    GridConfig config = GridConfig.named("local").store(folder).storeMemory(100_000);
    Map<Integer, String> expected = new HashMap<>();
    for (int life = 0; life < 3; life++) {
      try (NodeGrid node = start(config)) {
        Cache<Integer, String> cache = node.cache("durable", durable);
        assertThat(cache).isEqualTo(expected);
        for (int key = 0; key < 500; key++) {
          String value = "value " + (life * key) + "x".repeat(1_000);
          cache.put(key, value);
          expected.put(key, value);
        }
        for (int key = life; key < 500; key += 7) {
          cache.remove(key);
          expected.remove(key);
        }
        assertThat(cache).isEqualTo(expected);
        expected.forEach((key, value) -> assertThat(cache.get(key)).isEqualTo(value));
      }
    }
  }
}
