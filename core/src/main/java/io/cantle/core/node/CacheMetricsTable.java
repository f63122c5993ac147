package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The metrics of the caches that were opened on this node, each from its first opening on.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheMetricsTable {
  private final Function<String, CacheMetrics> maker;

  @GuardedBy("this")
  private final Map<String, CacheMetrics> byName = new HashMap<>();

  @GuardedBy("this")
  private Consumer<CacheMetrics> onOpened = opened -> {};

  @GuardedBy("this")
  private Consumer<CacheMetrics> onForgotten = forgotten -> {};

  /** Creates an empty table; {@code maker} makes the metrics of the cache of a name. */
  CacheMetricsTable(Function<String, CacheMetrics> maker) {
    this.maker = maker;
  }

  /** The metrics of a cache, which is open now. */
  synchronized CacheMetrics open(String cacheName) {
    CacheMetrics known = byName.get(cacheName);
    if (known == null) {
      known = maker.apply(cacheName);
      byName.put(cacheName, known);
      onOpened.accept(known);
    }
    return known;
  }

  /**
   * Forgets a cache that is no more. A cache of the same name that is opened later begins anew.
   * Does nothing if this node has not opened it.
   */
  synchronized void forget(String cacheName) {
    CacheMetrics forgotten = byName.remove(cacheName);
    if (forgotten != null) {
      onForgotten.accept(forgotten);
    }
  }

  /**
   * Sets what is told of each cache: those that are open now, and those that are opened or
   * forgotten later. It is called with the lock of this table held.
   */
  synchronized void setListeners(
      Consumer<CacheMetrics> whenOpened, Consumer<CacheMetrics> whenForgotten) {
    onOpened = whenOpened;
    onForgotten = whenForgotten;
    byName.values().forEach(whenOpened);
  }

  /** Has another table tell its listeners of the caches of this one, which is behind it. */
  void tellThrough(CacheMetricsTable front) {
    setListeners(front::tellOpened, front::tellForgotten);
  }

  private synchronized void tellOpened(CacheMetrics opened) {
    onOpened.accept(opened);
  }

  private synchronized void tellForgotten(CacheMetrics forgotten) {
    onForgotten.accept(forgotten);
  }
}
