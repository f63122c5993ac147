package io.cantle.core.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * The queue of requests that arrived before the topology they need. They run once this node has
 * adopted that topology.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}.
 */
final class AwaitedTopologyQueue {
  /** The most requests that may wait; further ones are dropped with a warning. */
  private static final int MAX_DEFERRED = 20_000;

  private static final System.Logger LOG = System.getLogger(AwaitedTopologyQueue.class.getName());

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

  /** Runs the requests that waited for a topology of at most this number. */
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

  /** Runs one request. A request that fails must not stop the others. */
  private static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request that waited for a topology failed", e);
    }
  }
}
