package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CacheDestroyedException;
import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client of a cache that is destroyed and created again all the time. It reads, writes and
 * removes a few keys, one or some at a time, and destroys the cache now and then. It uses what it
 * opened until it is told that this was destroyed.
 *
 * <p><b>Threading:</b> one simulated thread.
 */
final class DestroyClient {
  private static final int DESTROYS_ONE_IN = 12;
  private static final long PAUSE_NANOS = 1_200_000_000L;
  private static final long HURRIED_PAUSE_NANOS = 150_000_000L;

  private final String name;
  private final NodeSlot slot;
  private final DestroyWorkload destroys;
  private final CallHistory history;
  private final SplittableRandom random;
  private @Nullable Cache<Integer, Long> opened;

  DestroyClient(String name, NodeSlot slot, DestroyWorkload destroys) {
    this.name = name;
    this.slot = slot;
    this.destroys = destroys;
    this.history = destroys.history();
    this.random = destroys.splitRandom();
  }

  /** Works until the workload stops or the node is closing. */
  void run() {
    while (destroys.workload().isOpen() && slot.state() != NodeSlot.State.LEAVING) {
      slot.host()
          .clock()
          .parkNanos(
              this,
              random.nextLong(destroys.workload().isHurried() ? HURRIED_PAUSE_NANOS : PAUSE_NANOS));
      if (random.nextInt(DESTROYS_ONE_IN) == 0) {
        if (destroys.mayDestroy()) {
          destroy();
        }
        continue;
      }
      int key = random.nextInt(DestroyWorkload.KEYS);
      int drawn = destroys.mayChange() ? random.nextInt(10) : 0;
      switch (drawn) {
        case 0, 1, 2 -> call(MapOperation.get(key), cache -> valueOf(cache.get(key)));
        case 3, 4, 5, 6 -> {
          long value = destroys.workload().nextValue();
          call(MapOperation.put(key, value), cache -> valueOf(cache.put(key, value)));
        }
        case 7 -> call(MapOperation.remove(key), cache -> valueOf(cache.remove(key)));
        case 8 -> readAll(someKeys());
        default -> removeAll(someKeys());
      }
    }
  }

  private Set<Integer> someKeys() {
    Set<Integer> keys = new LinkedHashSet<>();
    for (int i = 0; i < DestroyWorkload.KEYS; i++) {
      keys.add(random.nextInt(DestroyWorkload.KEYS));
    }
    return keys;
  }

  /** Reads everything once all is at rest. */
  void readAtRest() {
    Set<Integer> keys = new LinkedHashSet<>();
    for (int key = 0; key < DestroyWorkload.KEYS; key++) {
      keys.add(key);
    }
    if (!readAll(keys)) {
      destroys.workload().reportViolation(name + " cannot read the brief cache at rest");
    }
  }

  /** Destroys the cache once all is at rest, and finds it empty. */
  void destroyAtRest() {
    slot.node().grid().destroy(DestroyWorkload.CACHE);
    Cache<Integer, Long> begun = slot.node().grid().cache(DestroyWorkload.CACHE, destroys.config());
    if (!begun.isEmpty()) {
      destroys
          .workload()
          .reportViolation(name + " found entries in a cache that was just created: " + begun);
    }
  }

  private static long valueOf(@Nullable Long value) {
    return value == null ? MapOperation.ABSENT : value;
  }

  /** Opens the cache, with whatever configuration it has by now. */
  private Cache<Integer, Long> cache() {
    Cache<Integer, Long> cache = opened;
    for (int tries = 0; cache == null; tries++) {
      try {
        cache = slot.node().grid().cache(DestroyWorkload.CACHE, destroys.config());
      } catch (IllegalStateException e) {
        // It has another configuration, or this node is closed.
        destroys.nextConfig();
        if (tries > 2) {
          throw new GridException("cannot be opened", e);
        }
      }
    }
    opened = cache;
    return cache;
  }

  private void call(MapOperation operation, Function<Cache<Integer, Long>, Long> call) {
    ClientCall begun = history.beginCall(name, operation);
    attempt(
        List.of(begun),
        () -> {
          long result = call.apply(cache());
          begun.recordReturn(history.moment(), result);
        });
  }

  private boolean readAll(Collection<Integer> keys) {
    List<ClientCall> calls = new ArrayList<>();
    keys.forEach(key -> calls.add(history.beginCall(name, MapOperation.get(key))));
    return attempt(
        calls,
        () -> {
          Map<Integer, Long> found = cache().getAll(keys);
          long moment = history.moment();
          calls.forEach(
              call -> call.recordReturn(moment, valueOf(found.get(call.operation().key()))));
        });
  }

  private void removeAll(Collection<Integer> keys) {
    List<ClientCall> calls = new ArrayList<>();
    keys.forEach(key -> calls.add(history.beginCall(name, MapOperation.remove(key))));
    attempt(
        calls,
        () -> {
          cache().removeAll(keys);
          long moment = history.moment();
          calls.forEach(call -> call.recordDone(moment));
        });
  }

  private void destroy() {
    List<ClientCall> calls = new ArrayList<>();
    for (int key = 0; key < DestroyWorkload.KEYS; key++) {
      calls.add(history.beginCall(name, MapOperation.remove(key)));
    }
    boolean isDone =
        attempt(
            calls,
            () -> {
              destroyCache();
              long moment = history.moment();
              calls.forEach(call -> call.recordDone(moment));
            });
    if (isDone) {
      destroys.nextConfig();
      destroys
          .workload()
          .log()
          .record(EventKind.DESTROY, slot.host(), history.lastMoment(), () -> name);
    }
  }

  /** Destroys the cache. Of one that was not destroyed in time nobody knows what becomes. */
  private void destroyCache() {
    try {
      slot.node().grid().destroy(DestroyWorkload.CACHE);
    } catch (CallTimeoutException e) {
      throw new IndeterminateException(e.toString());
    }
  }

  /** Makes a call; returns whether it ended normally. */
  private boolean attempt(List<ClientCall> calls, Runnable call) {
    destroys
        .workload()
        .log()
        .record(
            EventKind.CALL,
            slot.host(),
            Objects.requireNonNull(calls.getFirst()).invoked(),
            calls::toString);
    try {
      call.run();
      destroys
          .workload()
          .log()
          .record(EventKind.RETURN, slot.host(), history.moment(), calls::toString);
      return true;
    } catch (IllegalArgumentException e) {
      // There is no such cache to be destroyed.
      calls.forEach(ClientCall::recordFailed);
    } catch (CacheDestroyedException e) {
      opened = null;
      leaveOpen(calls, e);
    } catch (GridException e) {
      if (e.retrySafe()) {
        destroys.workload().log().record(EventKind.FAILURE, slot.host(), () -> calls + ": " + e);
        calls.forEach(ClientCall::recordFailed);
      } else {
        leaveOpen(calls, e);
      }
    } catch (IllegalStateException e) {
      // The node is closing, or its grid has given way to one with another configuration.
      opened = null;
      leaveOpen(calls, e);
    } catch (RuntimeException e) {
      destroys.workload().reportViolation(calls + " threw " + StackTraces.format(e));
    }
    return false;
  }

  private void leaveOpen(List<ClientCall> calls, RuntimeException why) {
    destroys
        .workload()
        .log()
        .record(EventKind.INDETERMINATE, slot.host(), () -> calls + ": " + why);
    if (calls.stream().anyMatch(call -> !call.operation().isReadOnly())) {
      destroys.recordOpen();
    }
  }
}
