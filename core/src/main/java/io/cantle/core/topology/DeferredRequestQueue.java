package io.cantle.core.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests that came before the topology they need.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class DeferredRequestQueue {
  /** How many may wait for a topology to come. */
  private static final int MAX_DEFERRED = 20_000;

  private static final System.Logger LOG = System.getLogger(DeferredRequestQueue.class.getName());

  private record DeferredRequest(long topologyNumber, Runnable task) {}

  private final List<DeferredRequest> requests = new ArrayList<>();

  void add(long number, Runnable task) {
    if (requests.size() < MAX_DEFERRED) {
      requests.add(new DeferredRequest(number, task));
    } else {
      LOG.log(
          System.Logger.Level.WARNING,
          "dropped a request that needs topology {0}: {1} others wait already",
          number,
          MAX_DEFERRED);
    }
  }

  /** A topology is adopted: runs those that waited for it. */
  void onTopologyAdopted(long number) {
    List<DeferredRequest> all = List.copyOf(requests);
    requests.clear();
    for (DeferredRequest one : all) {
      if (one.topologyNumber > number) {
        requests.add(one);
      } else {
        runSafely(one.task);
      }
    }
  }

  void clear() {
    requests.clear();
  }

  /** One request that cannot be served must not cost the others theirs. */
  private static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request that waited for a topology failed", e);
    }
  }
}
