package io.cantle.bench.cantle;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.bench.Driver;
import io.cantle.bench.Flight;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The driver of Cantle: a distributed cache with its defaults.
 *
 * <p><b>Threading:</b> as {@link Driver} says.
 */
public final class CantleDriver implements Driver {
  private static final long JOIN_TIMEOUT_MILLIS = 60_000;

  private final List<Grid> grids = new ArrayList<>();
  private final List<Cache<String, Flight>> caches = new ArrayList<>();

  @Override
  public String version() {
    var properties = new Properties();
    try (InputStream file = CantleDriver.class.getResourceAsStream("/cantle-bench.properties")) {
      if (file == null) {
        throw new IllegalStateException("cantle-bench.properties is not on the class path");
      }
      properties.load(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return properties.getProperty("version", "");
  }

  // Grids live as long as the JVM.
  @Override
  @SuppressWarnings("resource")
  public void start(int nodes, int owners, int firstPort) {
    GridConfig config =
        GridConfig.named("bench-" + UUID.randomUUID())
            .ports(firstPort, nodes - 1)
            .allowing(Flight.class.getPackageName());
    for (int node = 0; node < nodes; node++) {
      grids.add(Grid.join(config.nodeName("node" + node)));
    }
    for (Grid grid : grids) {
      caches.add(grid.cache("flights", CacheConfig.distributed().owners(owners)));
    }
    awaitMembers(nodes);
  }

  private void awaitMembers(int nodes) {
    long begin = System.nanoTime();
    while (grids.stream().anyMatch(grid -> grid.members().size() != nodes)) {
      if (System.nanoTime() - begin > JOIN_TIMEOUT_MILLIS * 1_000_000) {
        throw new IllegalStateException(
            "not all of " + nodes + " nodes met: " + grids.stream().map(Grid::members).toList());
      }
      LockSupport.parkNanos(1_000_000);
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
    return caches.get(node).mappingCount();
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
    caches.get(node).put(key, value);
  }
}
