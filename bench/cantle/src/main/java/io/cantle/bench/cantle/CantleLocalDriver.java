package io.cantle.bench.cantle;

import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Grid;
import io.cantle.bench.local.LocalDriver;
import java.util.concurrent.ConcurrentMap;

/**
 * Opens local caches of a grid that has only this node.
 *
 * <p><b>Threading:</b> as {@link LocalDriver} says.
 */
public final class CantleLocalDriver implements LocalDriver {
  private final Grid grid = Grid.local();

  @Override
  public <V> ConcurrentMap<String, V> open(String name, int segments) {
    return grid.cache(
        name, CacheConfig.local().segments(segments).container(ContainerKind.OBJECTS));
  }
}
