package io.cantle.bench.cantle;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.bench.ClusterPorts;
import io.cantle.bench.local.MeasuredLoop;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * One round of {@code bench scattered}: the program of its JVM. Four nodes of a grid are in this
 * JVM and talk over the loopback address. One of them puts and gets keys that it does not own: no
 * segment of theirs has it as an owner, or as its primary if the cache is scattered.
 *
 * <p>It writes the lines of a {@link MeasuredLoop}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class ScatteredRound {
  private static final int NODES = 4;
  private static final int CANDIDATES = 20_000;
  private static final int KEYS = 5_000;
  private static final int VALUE_BYTES = 1_000;
  private static final long JOIN_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SplittableRandom random = new SplittableRandom(1);

  private ScatteredRound() {}

  /**
   * Runs the round.
   *
   * @param args the mode of the cache, in small letters; how many milliseconds a measure takes,
   *     after as long a warm-up
   */
  public static void main(String[] args) {
    PrintStream console = System.out;
    System.setOut(System.err);
    try {
      CacheMode mode = CacheMode.valueOf(args[0].toUpperCase(Locale.ROOT));
      long measureNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[1]));
      new ScatteredRound().run(mode, new MeasuredLoop(measureNanos, args[0], console));
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  // Grids live as long as the JVM.
  @SuppressWarnings("resource")
  private void run(CacheMode mode, MeasuredLoop loop) {
    GridConfig config =
        GridConfig.named("bench-" + UUID.randomUUID())
            .ports(ClusterPorts.findFirst(), NODES - 1)
            .initialMembers(1);
    List<Grid> grids = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      grids.add(Grid.join(config.nodeName("node" + node)));
    }
    Grid writer = grids.getLast();
    Cache<String, byte[]> cache = writer.cache("measured", new CacheConfig(mode, 2, 256));
    awaitSettled(grids);
    List<String> keys =
        IntStream.range(0, CANDIDATES)
            .mapToObj(i -> "key-" + i)
            .filter(key -> !cache.owners(key).contains(writer.nodeName()))
            .limit(KEYS)
            .toList();
    byte[] value = new byte[VALUE_BYTES];
    keys.forEach(key -> cache.put(key, value));
    loop.measure(
        "put",
        () -> {
          byte[] previous = cache.put(keys.get(random.nextInt(keys.size())), value);
          return previous == null ? 0 : previous.length;
        });
    loop.measure(
        "get",
        () -> {
          byte[] found = cache.get(keys.get(random.nextInt(keys.size())));
          return found == null ? 0 : found.length;
        });
    if (cache.size() != keys.size()) {
      throw new IllegalStateException("size is " + cache.size() + " instead of " + keys.size());
    }
    System.err.println("sum of what was returned: " + loop.returned());
  }

  private static void awaitSettled(List<Grid> grids) {
    long begin = System.nanoTime();
    while (grids.stream().anyMatch(grid -> grid.members().size() != NODES || !grid.settled())) {
      if (System.nanoTime() - begin > JOIN_TIMEOUT_NANOS) {
        throw new IllegalStateException("the nodes did not come to rest");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }
}
