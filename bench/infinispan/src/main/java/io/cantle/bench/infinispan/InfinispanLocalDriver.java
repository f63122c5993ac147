package io.cantle.bench.infinispan;

import io.cantle.bench.local.LocalDriver;
import java.util.concurrent.ConcurrentMap;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;

/**
 * Opens local caches of Infinispan, which has no segments in them: it keeps the objects it is
 * given.
 *
 * <p><b>Threading:</b> as {@link LocalDriver} says.
 */
public final class InfinispanLocalDriver implements LocalDriver {
  private final EmbeddedCacheManager manager =
      new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());

  @Override
  public <V> ConcurrentMap<String, V> open(String name, int segments) {
    manager.defineConfiguration(name, new ConfigurationBuilder().build());
    return manager.getCache(name);
  }
}
