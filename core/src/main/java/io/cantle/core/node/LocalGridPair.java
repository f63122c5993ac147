package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.core.ownership.CacheDefinition;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The grids of a node's local caches, each with one node and without a network: one for durable
 * caches, and one without a store, which has no earlier incarnation and no disk that may fail. Each
 * starts with its first cache, or when a cache is looked for that an earlier incarnation may have
 * left on disk.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LocalGridPair {
  private final Node front;
  private final GridConfig config;
  private final ClassLoader loader;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile boolean hasLookedForStore;

  /** The grids that have started, by whether their caches are durable. */
  private final Map<Boolean, NodeGrid> grids = new ConcurrentHashMap<>();

  /**
   * Creates a pair, neither started.
   *
   * @param front the node that users know of
   */
  LocalGridPair(Node front, ClassLoader loader) {
    this.front = front;
    this.config = front.config.initialMembers(1);
    this.loader = loader;
  }

  /**
   * The grid in which to open a local cache. A cache of the same name that the other grid has is
   * opened there, so that its error says what is different.
   */
  NodeGrid gridFor(CacheDefinition definition) {
    lock.lock();
    try {
      NodeGrid other = grids.get(!definition.isDurable());
      if (other != null && other.hasCache(definition.name())) {
        return other;
      }
      NodeGrid started = grids.get(definition.isDurable());
      return started != null ? started : start(definition.isDurable());
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private NodeGrid start(boolean isDurable) {
    NodeGrid grid =
        Node.startAlone(
            isDurable ? config : config.store(null),
            loader,
            front.environment,
            front.offHeapMemory,
            () -> {});
    grid.node().cacheMetrics.tellThrough(front.cacheMetrics);
    grids.put(isDurable, grid);
    if (front.state.isClosed()) {
      // The node in front may have closed the pair before this grid was in it.
      grid.close();
    }
    return grid;
  }

  /**
   * The grid that has a cache of this name; null if none has.
   *
   * @throws GridException if an earlier incarnation has left local caches that cannot be opened
   */
  @Nullable NodeGrid gridWith(String name) {
    startIfStored();
    return grids.values().stream().filter(grid -> grid.hasCache(name)).findFirst().orElse(null);
  }

  /** Starts the grid of durable caches if an earlier incarnation has left some. */
  private void startIfStored() {
    if (!hasLookedForStore) {
      lock.lock();
      try {
        if (!hasLookedForStore && !grids.containsKey(true) && NodeDataDirectory.hasLocal(config)) {
          start(true);
        }
        hasLookedForStore = true;
      } finally {
        lock.unlock();
      }
    }
  }

  /** The names of the caches of both. */
  SortedSet<String> cacheNames() {
    startIfStored();
    SortedSet<String> names = new TreeSet<>();
    grids.values().forEach(grid -> names.addAll(grid.cacheNames()));
    return names;
  }

  /** Closes both; takes no lock, since it is also called when memory is exhausted. */
  void close() {
    grids.values().forEach(NodeGrid::close);
  }
}
