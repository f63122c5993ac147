package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.core.memory.CountedMemory;
import io.cantle.core.memory.MemoryUse;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that entries take as much memory as is counted, by what collections leave. */
@Timeout(120)
final class CountedBytesTest {
  @Test
  void entriesTakeWhatIsCounted() throws Exception {
    CountedMemory.assertTaken(Measurement.class, "-Xmx1536m", 15);
  }

  /** Fills caches and compares; prints the ratio of what is taken to what is counted. */
  static final class Measurement {
    private static final int ENTRIES = 200_000;

    /** Of short entries there are more, because what comes and goes in the process is 1 to 2 MB. */
    private static final int SHORT_ENTRIES = 3 * ENTRIES;

    private static final CacheConfig OBJECTS =
        CacheConfig.local().segments(16).container(ContainerKind.OBJECTS);

    private static final LocalDate DAY = LocalDate.of(2_000, 1, 1);

    private Measurement() {}

    /** Measures some shapes of entries. */
    public static void main(String... words) {
      try (SingleNode single = new SingleNode("io.cantle.core.node")) {
        NodeGrid grid = single.node;
        // What a first cache and a first call leave in the process is no part of their entries.
        measure(grid, "warm-up", 16, key -> key);
        for (int segments : new int[] {16, 256}) {
          System.out.println(
              measure(
                  grid,
                  "numbers in " + segments + " segments",
                  CacheConfig.distributed().segments(segments),
                  SHORT_ENTRIES,
                  key -> key));
        }
        System.out.println(measure(grid, "100 bytes", 16, key -> new byte[100]));
        System.out.println(measure(grid, "1,000 bytes", 16, key -> new byte[1_000]));
        System.out.println(measure(grid, "texts", 16, key -> "the text of " + key));
        System.out.println(measure(grid, "other texts", 16, key -> "текст " + key));
        System.out.println(measure(grid, "UUIDs", 16, key -> new UUID(key, key)));
        System.out.println(
            measure(grid, "decimals", 16, key -> BigDecimal.valueOf(1_000_000L + key, 2)));
        System.out.println(
            measure(
                grid, "long decimals", 16, key -> new BigDecimal("1234567890123456789012." + key)));
        System.out.println(measure(grid, "dates", 16, key -> DAY.plusDays(key).atTime(10, 30)));
        System.out.println(
            measure(
                grid, "records", 16, key -> new Order(key, "name " + key, DAY.plusDays(key), key)));
        System.out.println(
            measure(grid, "lists", 16, key -> List.of("a " + key, "b " + key, "c " + key)));
        System.out.println(
            measure(grid, "texts as objects", OBJECTS, ENTRIES, key -> "the text of " + key));
        System.out.println(
            measure(
                grid,
                "records as objects",
                OBJECTS,
                ENTRIES,
                key -> new Order(key, "name " + key, DAY.plusDays(key), key)));
        System.out.println(expiring(grid));
      }
    }

    /** A record of what nobody can change. */
    record Order(long number, String customer, LocalDate day, double amount) {}

    private static String expiring(NodeGrid grid) {
      return measure(
          grid,
          "expiring",
          CacheConfig.distributed().segments(16).lifespan(Duration.ofHours(5)),
          ENTRIES,
          key -> new byte[100]);
    }

    private static String measure(
        NodeGrid grid, String shape, int segments, IntFunction<Object> values) {
      return measure(grid, shape, CacheConfig.distributed().segments(segments), ENTRIES, values);
    }

    private static String measure(
        NodeGrid grid, String shape, CacheConfig config, int entries, IntFunction<Object> values) {
      Cache<Integer, Object> cache = grid.cache(shape, config);
      long usedBefore = usedBytes();
      long decodedBefore = decodedBytes(grid);
      for (int key = 0; key < entries; key++) {
        cache.put(key, values.apply(key));
      }
      long taken = usedBytes() - usedBefore;
      long decoded = decodedBytes(grid) - decodedBefore;
      long counted = cache.statistics().ownedBytes() + decoded;
      String line =
          String.format(
              Locale.ROOT,
              "%s: %.1f bytes an entry, counted %.1f of which decoded %.1f, ratio %.3f",
              shape,
              (double) taken / entries,
              (double) counted / entries,
              (double) decoded / entries,
              (double) taken / counted);
      return line;
    }

    private static long decodedBytes(NodeGrid grid) {
      return grid.node().memory.account(MemoryUse.DECODED_OBJECTS).reservedBytes();
    }

    private static long usedBytes() {
      // The second one finds what ended only after the first.
      System.gc();
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
  }
}
