package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.ownership.CacheDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The metrics of the caches that were opened on this node, each from its first opening on.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheMetricsTable {
  private final Function<CacheDefinition, CacheMetrics> maker;
  private final Executor threads;

  @GuardedBy("this")
  private final Map<String, OpenCache> byName = new HashMap<>();

  @GuardedBy("this")
  private Consumer<CacheMetrics> onOpened = opened -> {};

  @GuardedBy("this")
  private Consumer<CacheMetrics> onForgotten = forgotten -> {};

  /**
   * A cache that is open.
   *
   * @param index its index when it was opened last
   */
  private record OpenCache(CacheMetrics metrics, int index) {}

  /**
   * Creates an empty table.
   *
   * @param maker makes the metrics of a cache
   * @param threads runs what is told of caches that are forgotten; rejects it once the node is
   *     closed
   */
  CacheMetricsTable(Function<CacheDefinition, CacheMetrics> maker, Executor threads) {
    this.maker = maker;
    this.threads = threads;
  }

  /**
   * The metrics of a cache, which is open now with this index.
   *
   * @param check throws if the cache was destroyed meanwhile. It runs under the lock of this table,
   *     so the cache is either refused here or forgotten later, and never displaces the next one of
   *     its name
   */
  synchronized CacheMetrics open(CacheDefinition cache, int index, Runnable check) {
    check.run();
    OpenCache known = byName.get(cache.name());
    if (known != null && known.metrics.mode() == cache.config().mode()) {
      byName.put(cache.name(), new OpenCache(known.metrics, index));
      return known.metrics;
    }
    if (known != null) {
      // It was destroyed, and its mode is a part of what it is shown as.
      forget(cache.name(), known.index);
    }
    CacheMetrics metrics = maker.apply(cache);
    byName.put(cache.name(), new OpenCache(metrics, index));
    onOpened.accept(metrics);
    return metrics;
  }

  /**
   * Forgets a cache that is no more. A cache of the same name that is opened later begins anew; one
   * that is open already, with another index, stays. Does nothing if this node has not opened it.
   *
   * <p>Another thread tells of it: the caller holds locks, and who is told may call the grid.
   */
  synchronized void forget(String cacheName, int index) {
    OpenCache known = byName.get(cacheName);
    if (known == null || known.index != index) {
      return;
    }
    byName.remove(cacheName);
    try {
      threads.execute(() -> tellForgotten(known.metrics));
    } catch (RejectedExecutionException nodeClosed) {
      // What shows the caches of a node ends with it.
    }
  }

  /**
   * Sets what is told of each cache: those that are open now, and those that are opened or
   * forgotten later. It is told of opened ones with the lock of this table held.
   */
  synchronized void setListeners(
      Consumer<CacheMetrics> whenOpened, Consumer<CacheMetrics> whenForgotten) {
    onOpened = whenOpened;
    onForgotten = whenForgotten;
    byName.values().forEach(cache -> whenOpened.accept(cache.metrics));
  }

  /** Has another table tell its listeners of the caches of this one, which is behind it. */
  void tellThrough(CacheMetricsTable front) {
    setListeners(front::tellOpened, front::tellForgotten);
  }

  private synchronized void tellOpened(CacheMetrics opened) {
    onOpened.accept(opened);
  }

  private void tellForgotten(CacheMetrics forgotten) {
    Consumer<CacheMetrics> listener;
    synchronized (this) {
      listener = onForgotten;
    }
    listener.accept(forgotten);
  }
}
