package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a cache with a bound outlives any load, in a process with a small heap. */
@Timeout(120)
final class BoundedHeapTest {
  private static final int PUTS = 200_000;
  private static final int VALUE_BYTES = 1_000;
  private static final int HEAP_MIB = 64;

  @Test
  void putsOfManyTimesTheHeapDoNotExhaustIt() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx" + HEAP_MIB + "m",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Loader.class.getName())
            .redirectError(Redirect.INHERIT)
            .start();
    String told = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).isZero();
    assertThat(told.strip()).isEqualTo("last " + (PUTS - 1) + ", within its bound true");
  }

  /** Puts values of three times the heap. */
  static final class Loader {
    private Loader() {}

    /** Runs the load. */
    public static void main(String... words) {
      long maxBytes = (long) HEAP_MIB << 18;
      try (Grid grid = Grid.local()) {
        Cache<Integer, byte[]> cache =
            grid.cache("load", CacheConfig.distributed().segments(16).maxBytes(maxBytes));
        int last = 0;
        for (int key = 0; key < PUTS; key++) {
          cache.put(key, new byte[VALUE_BYTES]);
          last = key;
        }
        boolean isWithin = cache.statistics().ownedBytes() <= maxBytes && !cache.isEmpty();
        System.out.println("last " + last + ", within its bound " + isWithin);
      }
    }
  }
}
