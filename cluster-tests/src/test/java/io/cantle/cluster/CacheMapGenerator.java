package io.cantle.cluster;

import com.google.common.collect.testing.TestStringMapGenerator;
import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.util.List;
import java.util.Map;

/**
 * Makes the maps of the {@code ConcurrentMap} suite: one cache, cleared each time. Each map is the
 * cache as the next node of the grid opens it, so that calls come from owners and from others. No
 * test of the suite uses two maps at once.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class CacheMapGenerator extends TestStringMapGenerator {
  private final List<Grid> nodes;
  private final String name;
  private final CacheConfig config;
  private int made;

  CacheMapGenerator(List<Grid> nodes, String name, CacheConfig config) {
    this.nodes = nodes;
    this.name = name;
    this.config = config;
  }

  @Override
  protected Map<String, String> create(Map.Entry<String, String>[] entries) {
    Cache<String, String> cache = nodes.get(made++ % nodes.size()).cache(name, config);
    cache.clear();
    for (Map.Entry<String, String> entry : entries) {
      cache.put(entry.getKey(), entry.getValue());
    }
    return cache;
  }
}
