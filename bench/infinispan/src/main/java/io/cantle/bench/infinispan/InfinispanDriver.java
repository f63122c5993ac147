package io.cantle.bench.infinispan;

import io.cantle.bench.Driver;
import io.cantle.bench.Flight;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.infinispan.Cache;
import org.infinispan.commons.util.Version;
import org.infinispan.context.Flag;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.jspecify.annotations.Nullable;

/**
 * The driver of Infinispan: a synchronous distributed cache of objects.
 *
 * <p><b>Threading:</b> as {@link Driver} says.
 */
public final class InfinispanDriver implements Driver {
  private static final int BALANCE_SECONDS = 60;

  private final List<Cache<String, Flight>> caches = new ArrayList<>();
  private final List<Cache<String, Flight>> silentCaches = new ArrayList<>();

  @Override
  public String version() {
    return Version.getVersion();
  }

  @Override
  public void start(int nodes, int owners, int firstPort) {
    String hosts =
        IntStream.range(0, nodes)
            .mapToObj(node -> "127.0.0.1[" + (firstPort + node) + "]")
            .collect(Collectors.joining(","));
    String template =
        template()
            .replace("@hosts@", hosts)
            .replace("@cluster@", "bench-" + UUID.randomUUID())
            .replace("@owners@", Integer.toString(owners));
    // One after the other: nodes that start at once found clusters of one and merge seconds
    // later.
    List<EmbeddedCacheManager> managers = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      managers.add(
          open(
              template
                  .replace("@port@", Integer.toString(firstPort + node))
                  .replace("@node@", "node" + node)));
    }
    for (EmbeddedCacheManager manager : managers) {
      Cache<String, Flight> cache = manager.getCache("flights");
      caches.add(cache);
      silentCaches.add(cache.getAdvancedCache().withFlags(Flag.IGNORE_RETURN_VALUES));
    }
    awaitBalance(nodes);
  }

  private void awaitBalance(int nodes) {
    long begin = System.nanoTime();
    while (!caches.stream().allMatch(cache -> isBalanced(cache, nodes))) {
      if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(BALANCE_SECONDS)) {
        throw new IllegalStateException("segments still move after " + BALANCE_SECONDS + " s");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static boolean isBalanced(Cache<String, Flight> cache, int nodes) {
    DistributionManager distribution = cache.getAdvancedCache().getDistributionManager();
    return !distribution.isRehashInProgress()
        && distribution.getCacheTopology().getMembers().size() == nodes;
  }

  private static EmbeddedCacheManager open(String config) {
    try {
      return new DefaultCacheManager(
          new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String template() {
    try (InputStream file = InfinispanDriver.class.getResourceAsStream("/infinispan-bench.xml")) {
      if (file == null) {
        throw new IllegalStateException("infinispan-bench.xml is not on the class path");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void load(Map<String, Flight> entries) {
    caches.getFirst().putAll(entries);
  }

  @Override
  public Iterator<Map.Entry<String, Flight>> iterate(int node) {
    return caches.get(node).entrySet().iterator();
  }

  @Override
  public long size(int node) {
    return caches.get(node).size();
  }

  @Override
  public Map<Integer, Long> delayedByHour(int node) {
    return caches.get(node).values().stream()
        .filter(Flight::isDelayed)
        .collect(() -> Collectors.groupingBy(Flight::hour, Collectors.counting()));
  }

  @Override
  public @Nullable Flight get(int node, String key) {
    return caches.get(node).get(key);
  }

  @Override
  public @Nullable Flight put(int node, String key, Flight value) {
    return caches.get(node).put(key, value);
  }

  @Override
  public void set(int node, String key, Flight value) {
    silentCaches.get(node).put(key, value);
  }
}
