package io.cantle.core.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests that came before the topology they need.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Deferrals {
  /** How many may wait for a topology to come. */
  private static final int MAX_DEFERRED = 20_000;

  private static final System.Logger LOG = System.getLogger(Deferrals.class.getName());

  private record Deferred(long number, Runnable task) {}

  private final List<Deferred> deferred = new ArrayList<>();

  void add(long number, Runnable task) {
    if (deferred.size() < MAX_DEFERRED) {
      deferred.add(new Deferred(number, task));
    } else {
      LOG.log(
          System.Logger.Level.WARNING,
          "dropped a request that needs topology {0}: {1} others wait already",
          number,
          MAX_DEFERRED);
    }
  }

  /** A topology is adopted: runs those that waited for it. */
  void adopted(long number) {
    List<Deferred> all = List.copyOf(deferred);
    deferred.clear();
    for (Deferred one : all) {
      if (one.number > number) {
        deferred.add(one);
      } else {
        run(one.task);
      }
    }
  }

  void clear() {
    deferred.clear();
  }

  /** One request that cannot be served must not cost the others theirs. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request that waited for a topology failed", e);
    }
  }
}
